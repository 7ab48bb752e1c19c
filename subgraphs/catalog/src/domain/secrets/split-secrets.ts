import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import { secretMask } from './secret-mask.js';
import { carriesPassword } from './carries-password.js';
import type { IsSecret } from './secret-names.js';

/** Secrets by their JSON pointers in the metadata. */
export type Secrets = ReadonlyMap<string, JsonValue>;

export const noSecrets: Secrets = new Map();

/** Metadata with a mask in place of each secret, and the secrets separately. */
export interface SplitMetadata {
  readonly metadata: JsonObject;
  readonly secrets: Secrets;
  /** Pointers of masks that stand for nothing, because there was no secret. */
  readonly unknown: readonly string[];
  /** Pointers of masks whose secrets are kept. */
  readonly kept: ReadonlySet<string>;
}

type Visit = (value: JsonValue, pointer: string, keys: readonly string[]) => JsonValue;

/** Replaces each child of the value by the result of the visit. */
const withChildren = (value: JsonValue, pointer: string, keys: readonly string[], visit: Visit): JsonValue => {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => visit(item, `${pointer}/${index}`, keys));
  }
  return isJsonObject(value) ? objectWithChildren(value, pointer, keys, visit) : value;
};

const objectWithChildren = (value: JsonObject, pointer: string, keys: readonly string[], visit: Visit): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      child === undefined ? child : visit(child, pointerTo(pointer, key), [...keys, key]),
    ]),
  );

/** The metadata with its secrets in place of the masks. */
export const withSecrets = (metadata: JsonObject, secrets: Secrets): JsonObject => {
  if (secrets.size === 0) return metadata;
  const visit: Visit = (value, pointer, keys) => {
    const secret = value === secretMask ? secrets.get(pointer) : undefined;
    return secret ?? withChildren(value, pointer, keys, visit);
  };
  return objectWithChildren(metadata, '', [], visit);
};

/** The metadata without its secrets: without their members, and without their elements of lists. */
export const withoutSecrets = (metadata: JsonObject, secrets: Secrets): JsonObject => {
  const isSecret = (value: JsonValue | undefined, pointer: string): boolean =>
    value === secretMask && secrets.has(pointer);
  const visit: Visit = (value, pointer, keys) => {
    if (Array.isArray(value)) {
      const items = value as readonly JsonValue[];
      return items.flatMap((item, index) =>
        isSecret(item, `${pointer}/${index}`) ? [] : [visit(item, `${pointer}/${index}`, keys)],
      );
    }
    if (!isJsonObject(value)) return value;
    const shown = Object.entries(value).filter(([key, child]) => !isSecret(child, pointerTo(pointer, key)));
    return objectWithChildren(Object.fromEntries(shown), pointer, keys, visit);
  };
  return visit(metadata, '', []) as JsonObject;
};

/**
 * Replaces the secrets in metadata with masks. A secret is any value except null, including a list or an object, with a
 * secret name, and any address that contains a password. A mask keeps the secret at the same place, even if the names
 * no longer cover it: a sealed value stays sealed until it is replaced.
 *
 * @param kept the secrets that masks stand for
 */
export const splitSecrets = (given: JsonObject, isSecret: IsSecret, kept: Secrets): SplitMetadata => {
  const secrets = new Map<string, JsonValue>();
  const unknown: string[] = [];
  const used = new Set<string>();
  const keptAt = (value: JsonValue, pointer: string): JsonValue | undefined => {
    const own = value === secretMask ? kept.get(pointer) : undefined;
    if (own !== undefined) used.add(pointer);
    return own;
  };
  const uncover: Visit = (value, pointer, keys) =>
    keptAt(value, pointer) ?? withChildren(value, pointer, keys, uncover);
  const visit: Visit = (value, pointer, keys) => {
    const own = keptAt(value, pointer);
    const secret = isSecret(keys) || carriesPassword(value);
    if (own === undefined && (!secret || value === null)) return withChildren(value, pointer, keys, visit);
    if (own === undefined && value === secretMask) unknown.push(pointer);
    else secrets.set(pointer, own ?? uncover(value, pointer, keys));
    return secretMask;
  };
  return { metadata: objectWithChildren(given, '', [], visit), secrets, unknown, kept: used };
};
