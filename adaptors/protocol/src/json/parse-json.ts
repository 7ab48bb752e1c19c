import { parse } from 'lossless-json';
import type { JsonValue } from './json-value.js';

const maybeUnsafeInteger = /(?:^|[:,[\s])-?\d{16,}(?:[\s,\]}]|$)/;
const integer = /^-?\d+$/;

const toNumber = (text: string): number | bigint => {
  const value = Number(text);
  return integer.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
};

/**
 * Parses JSON without losing a digit of an integer: beyond 2^53 it becomes a bigint, else a number.
 *
 * @throws SyntaxError when the text is not JSON
 */
export const parseJson = (text: string): JsonValue =>
  maybeUnsafeInteger.test(text) ? (parse(text, null, toNumber) as JsonValue) : (JSON.parse(text) as JsonValue);
