import { ofSegment, pointerTo } from '@fds/json';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeOf = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const combining = ['$ref', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'];

/** Would generators create a type without members from the schema? */
const isBare = (value: Readonly<Record<string, unknown>>): boolean =>
  [value['type']].flat().includes('object') &&
  sizeOf(value['properties']) === 0 &&
  !combining.some((keyword) => keyword in value);

/**
 * JSON pointers of the object schemas in a document that have no members and allow no others. Examples are data, not
 * schemas.
 */
export const findBareObjects = (value: unknown, pointer = ''): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, member]) =>
    key === 'example' || key === 'examples' ? [] : findBareObjects(member, pointerTo(pointer, key)),
  );
  return isRecord(value) && isBare(value) ? [pointer, ...below] : below;
};

/** The value at a JSON pointer; undefined when no such value exists. */
export const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map(ofSegment)
    .reduce<unknown>((at, segment) => (isRecord(at) ? at[segment] : undefined), value);
