import { randomBytes } from 'node:crypto';
import { parseJson } from '@fds/json';

/**
 * Passes integers beyond 2^53 through a library that reads and writes JSON itself. They travel as marked strings, and
 * become integers again where the library gives access to a value. The mark is secret, so that data cannot contain it.
 */
const mark = `int64:${randomBytes(12).toString('hex')}:`;
const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g');
const longDigits = /\d{16}/;

const toMarked = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${mark}${value}` : value);

/** For `JSON.stringify`: writes integers as marked strings. */
export const exactReplacer = toMarked;

/** For `JSON.parse`: reads marked strings as integers. */
export const exactReviver = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;

/** Apply it to a text before the library reads it. @throws SyntaxError when the text is not JSON */
export const markIntegers = (text: string): string =>
  longDigits.test(text) ? JSON.stringify(parseJson(text), toMarked) : text;

/** Apply it to a text that the library has written. */
export const unmarkIntegers = (text: string): string => (text.includes(mark) ? text.replace(marked, '$1') : text);
