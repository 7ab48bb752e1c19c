import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { ModelProperty } from '@fds/model-schema';
import type { RequestedProperty } from './requested-properties.js';

/** Reads own members by their names in the model: first in the exact spelling, then in any other case. */
export const memberReader = (object: JsonObject): ((name: string) => JsonValue | undefined) => {
  let folded: Map<string, string> | undefined;
  return (name) => {
    if (Object.hasOwn(object, name)) return object[name];
    folded ??= new Map(
      Object.keys(object)
        .toReversed()
        .map((key) => [key.toLowerCase(), key]),
    );
    const key = folded.get(name.toLowerCase());
    return key === undefined ? undefined : object[key];
  };
};

const takeInteger = (value: JsonValue): number | bigint | undefined => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const exact = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  return typeof exact === 'bigint' && BigInt.asIntN(64, exact) === exact ? exact : undefined;
};

const takeNumber = (value: JsonValue): number | undefined => {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

const isScalar = (value: JsonValue | undefined): boolean =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

/** A DR Key value, a `$ref`, or an object of DR Key values (docs/reference/data-records.md#references). */
const takeReference = (value: JsonValue): JsonValue | undefined =>
  isScalar(value) || (isJsonObject(value) && Object.values(value).every((part) => part === null || isScalar(part)))
    ? value
    : undefined;

const takeItems = (value: JsonValue, take: (item: JsonValue) => JsonValue | undefined): JsonValue | undefined => {
  if (!Array.isArray(value)) return undefined;
  const items: JsonValue[] = [];
  for (const item of value as readonly JsonValue[]) {
    const taken = take(item);
    if (taken === undefined) return undefined;
    items.push(taken);
  }
  return items;
};

const takeMembers = (value: JsonValue, parts: readonly RequestedProperty[]): JsonObject | undefined => {
  if (!isJsonObject(value)) return undefined;
  const read = memberReader(value);
  const members: [string, JsonValue][] = [];
  for (const part of parts) {
    const member = read(part.property.name);
    if (member === undefined) continue;
    const taken = takeValue(member, part);
    if (taken === undefined) return undefined;
    members.push([part.property.name, taken]);
  }
  return Object.fromEntries(members);
};

const takeTyped = (
  value: JsonValue,
  property: ModelProperty,
  parts: readonly RequestedProperty[],
): JsonValue | undefined => {
  switch (property.type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return takeInteger(value);
    case 'number':
      return takeNumber(value);
    case 'object':
      return takeMembers(value, parts);
    case 'array':
      return takeItems(value, 'reference' in property.items ? takeReference : (item) => takeMembers(item, parts));
    case 'reference':
      return property.reference.multivalued
        ? takeItems(Array.isArray(value) ? value : [value], takeReference)
        : takeReference(value);
  }
};

/**
 * The requested parts of a value in an adaptor's answer, in the spelling of the model. Members that the model does not
 * have are left out. Types are checked, but no other constraints of the model: a source has its own rules for its data.
 *
 * @returns undefined when the value, or any requested part of it, has another type than in the model
 */
export const takeValue = (value: JsonValue, { property, parts }: RequestedProperty): JsonValue | undefined =>
  value === null ? null : takeTyped(value, property, parts);
