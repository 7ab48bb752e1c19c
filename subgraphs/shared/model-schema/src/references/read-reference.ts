import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import type { CompiledModel } from '../compiled-model.js';

/** What a reference value points at: a record by uuid, or by the digest of its DR Key. */
export type ReferenceTarget =
  { readonly kind: 'UUID'; readonly uuid: string } | { readonly kind: 'KEY'; readonly keyDigest: string };

const recordPath = /^(?:\/api)?\/drs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const keyPath = /^\/domains\/[^/:?]+:v\d+\?(.+)$/s;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Text of a key value as a value of its property's type; text that is none stays text, and is refused by the model. */
const readKeyText = (model: CompiledModel, name: string, text: string): JsonValue => {
  const property = model.properties.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (property === undefined || property.type === 'string') return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};

/** `<property>=<value>&<property>=<value>`, percent-encoded where needed. */
const readKeyQuery = (model: CompiledModel, query: string): JsonObject =>
  Object.fromEntries(
    query.split('&').map((term) => {
      const at = term.indexOf('=');
      const name = decode(term.slice(0, Math.max(at, 0)));
      return [name, readKeyText(model, name, decode(term.slice(at + 1)))];
    }),
  );

const readKey = (model: CompiledModel, value: JsonValue): JsonObject | undefined => {
  const path = isJsonObject(value) ? value['$ref'] : value;
  const [, query] = typeof path === 'string' ? (keyPath.exec(path) ?? []) : [];
  if (query !== undefined) return readKeyQuery(model, query);
  if (isJsonObject(value)) return value;
  const [property, ...others] = model.drKeyProperties;
  return property === undefined || others.length > 0 ? undefined : { [property]: value };
};

/**
 * Reads a reference value (decisions, section 7): `{"$ref": "/drs/<uuid>"}`, the path alone,
 * `{"$ref": "/domains/<name>:v<n>?<property>=<value>"}` (several properties joined by `&`), the DR Key as an object, or the
 * value of a DR Key of one property.
 *
 * @param target model of the version that is referred to
 * @returns undefined when the value points at nothing
 */
export const readReference = (target: CompiledModel, value: JsonValue | undefined): ReferenceTarget | undefined => {
  if (value === undefined || value === null || Array.isArray(value)) return undefined;
  const path = isJsonObject(value) ? value['$ref'] : value;
  const [, uuid] = typeof path === 'string' ? (recordPath.exec(path) ?? []) : [];
  if (uuid !== undefined) return { kind: 'UUID', uuid: uuid.toLowerCase() };

  const key = readKey(target, value);
  const validation = key === undefined ? undefined : target.validateDrKey(key);
  if (validation?.valid !== true) return undefined;
  return { kind: 'KEY', keyDigest: target.keyDigest(validation.record).toString('hex') };
};

/** The form in which a reference is stored: it outlives a change of the target's key. */
export const toStoredReference = (uuid: string): JsonObject => ({ $ref: `/drs/${uuid}` });
