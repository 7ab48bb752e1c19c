import { parse } from 'lossless-json';
import type { JsonValue } from './json-value.js';
import { maxDepth, nestsDeeper } from './nests-deeper.js';

const maybeUnsafeInteger = /(?:^|[:,[\s])-?\d{16,}(?:\.0+)?(?:[\s,\]}]|$)/;
const integer = /^(-?\d+)(?:\.0+)?$/;

/** A longer integer is refused: to read it takes more than linear time. A property of a model has 64 bits. */
const maxDigits = 1000;

const parseNumber = (text: string): number | bigint => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  const digits = integer.exec(text)?.[1];
  if (digits !== undefined && digits.length > maxDigits)
    throw new SyntaxError(`an integer has more than ${maxDigits} digits`);
  return digits === undefined ? value : BigInt(digits);
};

// as JSON.parse does, so that the size of a number does not decide whether a text is accepted
const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

const parseExactly = (text: string): JsonValue => parse(text, null, { parseNumber, onDuplicateKey }) as JsonValue;

/**
 * Parses JSON without losing a digit of an integer: beyond 2^53 it becomes a bigint, otherwise a number. Integers with an
 * exponent and fractions are doubles. `__proto__` members become plain own properties; the last of members with the same
 * name counts.
 *
 * @throws SyntaxError with the position when the text is not JSON, nests more than 1000 levels deep, or has an integer of
 * more than 1000 digits
 */
export const parseJson = (text: string): JsonValue => {
  if (nestsDeeper(text)) throw new SyntaxError(`JSON nests more than ${maxDepth} levels deep`);
  if (maybeUnsafeInteger.test(text)) return parseExactly(text);
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // JSON.parse does not always report the position, the exact parser does
    parseExactly(text);
    throw error;
  }
};
