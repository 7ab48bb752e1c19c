import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';

/** What a reference value points at: a record by uuid, or by the digest of its DR Key. */
export type ReferenceTarget =
  { readonly kind: 'UUID'; readonly uuid: string } | { readonly kind: 'KEY'; readonly keyDigest: string };

const recordPath = /^(?:\/api)?\/drs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Reads a reference value (decisions, section 7): `{"$ref": "/drs/<uuid>"}`, the path alone, the DR Key as an object, or
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

  const [property] = target.drKeyProperties;
  if (property === undefined) return undefined;
  const key: JsonObject = isJsonObject(value) ? value : { [property]: value };
  const validation = target.validateDrKey(key);
  return validation.valid ? { kind: 'KEY', keyDigest: target.keyDigest(validation.record).toString('hex') } : undefined;
};
