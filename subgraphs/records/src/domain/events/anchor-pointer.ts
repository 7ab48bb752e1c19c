import { isJsonObject, type JsonObject, type JsonValue, ofSegment, pointerTo } from '@fds/json';

/** The member's name as the object spells it: models compare names ignoring case. */
const spelledIn = (object: JsonObject, name: string): string | undefined =>
  Object.hasOwn(object, name) ? name : Object.keys(object).find((other) => other.toLowerCase() === name.toLowerCase());

/**
 * A JSON pointer that leads somewhere in the document: to a value, or to a member that is missing in an object or list
 * that exists. A pointer that goes deeper than the document ends at the first missing member, or at the value that has
 * no members.
 */
export const anchorPointer = (document: JsonValue, pointer: string): string => {
  let anchored = '';
  let value: JsonValue | undefined = document;
  for (const segment of pointer.split('/').slice(1)) {
    if (Array.isArray(value)) {
      anchored += `/${segment}`;
      value = /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined;
    } else if (value !== undefined && isJsonObject(value)) {
      const name = ofSegment(segment);
      const spelled = spelledIn(value, name);
      anchored = pointerTo(anchored, spelled ?? name);
      value = spelled === undefined ? undefined : value[spelled];
    } else {
      return anchored;
    }
    if (value === undefined) return anchored;
  }
  return anchored;
};
