import { isStorableText } from '@fds/json';
import type { Accept } from './accept.js';
import type { StringFormat } from './string-formats.js';

/** Constraints of a string; lengths in code points. */
export interface StringConstraints {
  readonly minLength: number;
  readonly maxLength: number;
  /** Longer text than `maxLength` UTF-16 units is refused rather than tested. */
  readonly pattern: { readonly maxLength: number; test(text: string): boolean } | undefined;
  readonly format: StringFormat | undefined;
}

/** Inclusive bounds. */
export interface NumberConstraints {
  readonly minimum: number | bigint | undefined;
  readonly maximum: number | bigint | undefined;
}

const surrogatePair = /[\u{10000}-\u{10FFFF}]/gu;

const codePoints = (text: string): number => text.length - (text.match(surrogatePair)?.length ?? 0);

export const acceptString = ({ minLength, maxLength, pattern, format }: StringConstraints): Accept => {
  const bounded = minLength > 0 || maxLength < Number.POSITIVE_INFINITY;
  return (value, pointer, faults) => {
    if (typeof value !== 'string') {
      faults.add(pointer, 'INVALID_TYPE', 'the value is not a string');
      return value;
    }
    if (!isStorableText(value)) {
      faults.add(pointer, 'INVALID_CHARACTER', 'the value holds a character that cannot be stored');
    }
    if (bounded) {
      const length = codePoints(value);
      if (length < minLength) faults.add(pointer, 'TOO_SHORT', `the value has less than ${minLength} characters`);
      if (length > maxLength) faults.add(pointer, 'TOO_LONG', `the value has more than ${maxLength} characters`);
    }
    if (format !== undefined && !format.test(value)) {
      faults.add(pointer, 'INVALID_FORMAT', `the value does not have the format ${format.name}`);
    }
    if (pattern !== undefined && value.length > pattern.maxLength) {
      faults.add(pointer, 'TOO_LONG', 'the value is too long to be matched against its pattern');
    } else if (pattern !== undefined && !pattern.test(value)) {
      faults.add(pointer, 'PATTERN_MISMATCH', 'the value does not match the pattern');
    }
    return value;
  };
};

const outOfRange = (value: number | bigint, { minimum, maximum }: NumberConstraints): string | undefined => {
  // comparisons of a number with a bigint are exact
  if (minimum !== undefined && value < minimum) return `the value is below ${minimum}`;
  if (maximum !== undefined && value > maximum) return `the value is above ${maximum}`;
  return undefined;
};

/** The exact integer, or undefined: a bigint only beyond 2^53. */
const toInteger = (value: unknown): number | bigint | undefined => {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    return Number.isInteger(value) ? BigInt(value) : undefined;
  }
  if (typeof value !== 'bigint') return undefined;
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
};

const isInt64 = (value: number | bigint): boolean => typeof value === 'number' || BigInt.asIntN(64, value) === value;

export const acceptInteger =
  (constraints: NumberConstraints): Accept =>
  (value, pointer, faults) => {
    const integer = toInteger(value);
    if (integer === undefined) {
      faults.add(pointer, 'INVALID_TYPE', 'the value is not an integer');
      return value;
    }
    const fault = isInt64(integer) ? outOfRange(integer, constraints) : 'the value has more than 64 bits';
    if (fault !== undefined) faults.add(pointer, 'OUT_OF_RANGE', fault);
    return integer;
  };

export const acceptNumber =
  (constraints: NumberConstraints): Accept =>
  (value, pointer, faults) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      faults.add(pointer, 'INVALID_TYPE', 'the value is not a number');
      return value;
    }
    const number = Number(value);
    const fault = Number.isFinite(number) ? outOfRange(value, constraints) : 'the value has more than 64 bits';
    if (fault !== undefined) faults.add(pointer, 'OUT_OF_RANGE', fault);
    return number === 0 ? 0 : number;
  };

export const acceptBoolean: Accept = (value, pointer, faults) => {
  if (typeof value !== 'boolean') faults.add(pointer, 'INVALID_TYPE', 'the value is neither true nor false');
  return value;
};
