import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { EventKey } from './incoming-event.js';

/** The properties of the DR Key among a record's members, whose names are compared ignoring case. */
const pickKey = (model: CompiledModel, members: JsonObject): JsonObject => {
  const names = new Set(model.drKeyProperties.map((name) => name.toLowerCase()));
  const found = Object.keys(members).filter((name) => names.has(name.toLowerCase()));
  return Object.fromEntries(found.map((name) => [name, members[name] as JsonValue]));
};

/** The DR Key among a record's members; undefined when it is not valid. */
export const readKey = (model: CompiledModel, members: JsonObject): EventKey | undefined => {
  const validation = model.validateDrKey(pickKey(model, members));
  if (!validation.valid) return undefined;
  return { drKey: validation.record, digest: model.keyDigest(validation.record) };
};

/**
 * The digest of a DR Key that is not valid, as it is reported, by which an adaptor's deletion finds its earlier event. Undefined: a
 * value of the key is missing, null, a list or an object, so that several rows of one adaptor may share it.
 */
export const malformedDigest = (model: CompiledModel, members: JsonObject): string | undefined => {
  const picked = new Map(Object.entries(pickKey(model, members)).map(([name, value]) => [name.toLowerCase(), value]));
  const values = model.drKeyProperties.map((name) => picked.get(name.toLowerCase()) ?? null);
  const isComplete = values.every((value) => value !== null && typeof value !== 'object');
  return isComplete ? hash('sha256', canonicalJson(values), 'hex') : undefined;
};
