import type { JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { EventKey } from './incoming-event.js';

/** The DR Key among a record's members, whose names are compared ignoring case; undefined when it is not valid. */
export const readKey = (model: CompiledModel, members: JsonObject): EventKey | undefined => {
  const names = new Map(model.drKeyProperties.map((name) => [name.toLowerCase(), name]));
  const picked = Object.entries(members).filter(([name]) => names.has(name.toLowerCase()));
  const validation = model.validateDrKey(Object.fromEntries(picked));
  if (!validation.valid) return undefined;
  return { drKey: validation.record, digest: model.keyDigest(validation.record) };
};
