import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@fds/json';

/** A merge patch cannot put a null into a document except inside a list, because null means removal. */
const canBePut = (value: JsonValue | undefined): boolean =>
  value !== null && (!isJsonObject(value) || Object.values(value).every((member) => canBePut(member)));

const isSame = (one: JsonValue, other: JsonValue): boolean =>
  one === other || canonicalJson(one) === canonicalJson(other);

/**
 * The merge patch (RFC 7396) that turns one document into another. It is empty when they are equal.
 *
 * @returns undefined when no merge patch exists, because a member becomes null
 */
export const mergePatch = (from: JsonObject, to: JsonObject): JsonObject | undefined => {
  const patch: [name: string, value: JsonValue][] = [];
  for (const [name, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value === undefined || (before !== undefined && isSame(before, value))) continue;
    if (isJsonObject(before) && isJsonObject(value)) {
      const inner = mergePatch(before, value);
      if (inner === undefined) return undefined;
      patch.push([name, inner]);
    } else {
      if (!canBePut(value)) return undefined;
      patch.push([name, value]);
    }
  }
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (!Object.hasOwn(to, name) || to[name] === undefined)) patch.push([name, null]);
  }
  // an assignment would set the prototype for a member named __proto__
  return Object.fromEntries(patch);
};
