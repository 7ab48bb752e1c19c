import type { JsonObject, JsonValue } from '@fds/json';

/** The object's own member: `constructor` and `__proto__` are names like any other. */
export const ownMember = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Sets an own member, also one called `__proto__`. */
export const setOwnMember = (object: Record<string, JsonValue>, name: string, value: JsonValue): void => {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
};
