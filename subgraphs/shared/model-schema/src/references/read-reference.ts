import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import type { CompiledModel } from '../compiled-model.js';

/** A reference value that at most one record fits: by uuid, or by the digest of its DR Key. */
export type OneTarget =
  { readonly kind: 'UUID'; readonly uuid: string } | { readonly kind: 'KEY'; readonly keyDigest: string };

/** The target of a reference value. PART: the record with these properties of its DR Key, at least one and not all. */
export type ReferenceTarget = OneTarget | { readonly kind: 'PART'; readonly part: JsonObject };

const recordPath = /^(?:\/api)?\/drs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const keyPath = /^\/domains\/[^/:?]+:v\d+\?(.+)$/s;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Text of a key value as a value of its property's type; text that is not such a value stays text, and is refused by
 * the model.
 */
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
  if (isJsonObject(value)) return value;
  const [property, ...others] = model.drKeyProperties;
  return property === undefined || others.length > 0 ? undefined : { [property]: value };
};

/**
 * Reads a reference value (docs/reference/data-records.md#references): `{"$ref": "/drs/<uuid>"}`, the path alone,
 * `{"$ref": "/domains/<name>:v<n>?<property>=<value>"}` (any DR Key properties, joined by `&`), the DR Key as an object, or
 * the value of a DR Key of one property.
 *
 * @param target model of the version that is referred to
 * @returns undefined when the value points at nothing
 */
export const readReference = (target: CompiledModel, value: JsonValue | undefined): ReferenceTarget | undefined => {
  if (value === undefined || value === null || Array.isArray(value)) return undefined;
  const path = isJsonObject(value) ? value['$ref'] : value;
  const [, uuid] = typeof path === 'string' ? (recordPath.exec(path) ?? []) : [];
  if (uuid !== undefined) return { kind: 'UUID', uuid: uuid.toLowerCase() };

  const [, query] = typeof path === 'string' ? (keyPath.exec(path) ?? []) : [];
  const part = query === undefined ? undefined : readKeyQuery(target, query);
  if (part !== undefined && Object.keys(part).length < target.drKeyProperties.length) {
    const accepted = target.validateKeyPart(part);
    return accepted.valid ? { kind: 'PART', part: accepted.record } : undefined;
  }
  const key = part ?? readKey(target, value);
  const validation = key === undefined ? undefined : target.validateDrKey(key);
  if (validation?.valid !== true) return undefined;
  return { kind: 'KEY', keyDigest: target.keyDigest(validation.record) };
};

/** The form in which a reference is stored: it outlives a change of the target's key. */
export const toStoredReference = (uuid: string): JsonObject => ({ $ref: `/drs/${uuid}` });
