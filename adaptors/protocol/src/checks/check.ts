import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { Fault, FaultCode } from './fault.js';

/**
 * Reads one value of a message and adds its faults to `faults`. If there are faults, the caller must not use the
 * result. Unknown members of objects are ignored and not copied.
 */
export type Check<T> = (value: JsonValue | undefined, pointer: string, faults: Fault[]) => T;

const refuse = (faults: Fault[], pointer: string, code: FaultCode, detail: string): never => {
  faults.push({ pointer, code, detail });
  return undefined as never;
};

const wrongType = (value: JsonValue | undefined, expected: string, pointer: string, faults: Fault[]): never =>
  value === undefined || value === null
    ? refuse(faults, pointer, 'REQUIRED', `must be ${expected}, it is missing`)
    : refuse(faults, pointer, 'WRONG_TYPE', `must be ${expected}`);

export const anyJson: Check<JsonValue> = (value, pointer, faults) =>
  value === undefined ? refuse(faults, pointer, 'REQUIRED', 'is missing') : value;

export const text: Check<string> = (value, pointer, faults) =>
  typeof value === 'string' ? value : wrongType(value, 'a string', pointer, faults);

/** A string in a given form; faults name the form. */
const textLike =
  (pattern: RegExp, form: string): Check<string> =>
  (value, pointer, faults) => {
    if (typeof value !== 'string') return wrongType(value, form, pointer, faults);
    return pattern.test(value) ? value : refuse(faults, pointer, 'WRONG_FORMAT', `must be ${form}`);
  };

export const uuid: Check<string> = textLike(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a uuid');

export const dateTime: Check<string> = textLike(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  'a date-time of RFC 3339',
);

export const flag: Check<boolean> = (value, pointer, faults) =>
  typeof value === 'boolean' ? value : wrongType(value, 'true or false', pointer, faults);

export const finiteNumber: Check<number> = (value, pointer, faults) =>
  typeof value === 'number' && Number.isFinite(value) ? value : wrongType(value, 'a number', pointer, faults);

/** A count: an integer from 0 to 2^53 - 1. */
export const count: Check<number> = (value, pointer, faults) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : wrongType(value, 'an integer from 0 to 9007199254740991', pointer, faults);

/** Epoch milliseconds. */
export const epochMs: Check<number> = (value, pointer, faults) =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : wrongType(value, 'an integer of epoch milliseconds', pointer, faults);

export const jsonObject: Check<JsonObject> = (value, pointer, faults) =>
  isJsonObject(value) ? value : wrongType(value, 'an object', pointer, faults);

/** Shortens a word to the part that is enough to recognise it. */
const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}...` : text);

/** One word of a fixed list. */
export const word =
  <const W extends string>(...words: readonly W[]): Check<W> =>
  (value, pointer, faults) => {
    if (typeof value !== 'string') return wrongType(value, `one of ${words.join(', ')}`, pointer, faults);
    return (words as readonly string[]).includes(value)
      ? (value as W)
      : refuse(faults, pointer, 'UNKNOWN_VALUE', `"${shortened(value)}" is not one of ${words.join(', ')}`);
  };

/** The value may be absent. Null counts as absent. */
export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, pointer, faults) =>
    value === undefined || value === null ? undefined : check(value, pointer, faults);

/** The value is required and may be null. */
export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, pointer, faults) =>
    value === null ? null : check(value, pointer, faults);

/** Most faults that are looked for in lists: a message may have 100 000 items. */
const maxFaults = 100;

const checkItems = <T>(
  items: readonly JsonValue[],
  check: Check<T>,
  pointer: string,
  faults: Fault[],
): readonly T[] => {
  const checked: T[] = [];
  for (const [index, item] of items.entries()) {
    checked.push(check(item, `${pointer}/${index}`, faults));
    if (faults.length >= maxFaults) break;
  }
  return checked;
};

export const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value, pointer, faults) =>
    Array.isArray(value) ? checkItems(value, check, pointer, faults) : wrongType(value, 'a list', pointer, faults);

/** A member's name as a segment of a JSON pointer. */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** An object whose members are checked one by one; absent optional members stay absent. */
export const shape = <T extends object>(members: { readonly [K in keyof T]-?: Check<T[K]> }): Check<T> => {
  const checks = (Object.entries(members) as readonly [string, Check<unknown>][]).map(([name, check]) => ({
    name,
    check,
    place: `/${escapePointer(name)}`,
  }));
  return (value, pointer, faults) => {
    if (!isJsonObject(value)) return wrongType(value, 'an object', pointer, faults);
    const result: Record<string, unknown> = {};
    for (const { name, check, place } of checks) {
      const member = check(Object.hasOwn(value, name) ? value[name] : undefined, pointer + place, faults);
      if (member !== undefined) result[name] = member;
    }
    return result as T;
  };
};

/** Adds a rule about several members. It runs only if each member is valid. */
export const refined =
  <T>(check: Check<T>, rule: (value: T, pointer: string) => readonly Fault[]): Check<T> =>
  (value, pointer, faults) => {
    const before = faults.length;
    const result = check(value, pointer, faults);
    if (faults.length === before) faults.push(...rule(result, pointer));
    return result;
  };
