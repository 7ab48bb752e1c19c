import { parse } from 'lossless-json';
import type { JsonValue } from './json-value.js';

const maybeUnsafeInteger = /(?:^|[:,[\s])-?\d{16,}(?:\.0+)?(?:[\s,\]}]|$)/;
/** A longer integer is refused: to read it takes more than linear time. */
const maxDigits = 1000;
const integer = /^(-?\d+)(?:\.0+)?$/;

const parseNumber = (text: string): number | bigint => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  const digits = integer.exec(text)?.[1];
  if (digits !== undefined && digits.length > maxDigits)
    throw new SyntaxError(`an integer has more than ${maxDigits} digits`);
  return digits === undefined ? value : BigInt(digits);
};

// like JSON.parse, so that the size of a number does not decide whether a message is accepted
const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/**
 * Parses JSON and keeps every digit of an integer: an integer beyond 2^53 becomes a bigint, any other number a number.
 * If several members have the same name, the last one counts.
 *
 * @throws SyntaxError when the text is not JSON, or has an integer of more than 1000 digits
 */
export const parseJson = (text: string): JsonValue =>
  maybeUnsafeInteger.test(text)
    ? (parse(text, null, { parseNumber, onDuplicateKey }) as JsonValue)
    : (JSON.parse(text) as JsonValue);
