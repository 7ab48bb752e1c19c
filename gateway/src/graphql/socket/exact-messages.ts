import { randomBytes } from 'node:crypto';
import { parseJson } from '@fds/json';

/**
 * Carries integers beyond 2^53 through a library that reads and writes JSON itself: they travel as marked strings,
 * which become integers again where the library lets us look at a value. The mark is secret, so that no data can forge it.
 */
const mark = `int64:${randomBytes(12).toString('hex')}:`;
const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g');
const longDigits = /\d{16}/;

const toMarked = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${mark}${value}` : value);

/** For `JSON.stringify`: integers as marked strings. */
export const exactReplacer = toMarked;

/** For `JSON.parse`: marked strings as integers. */
export const exactReviver = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;

/** Before the library reads a text. @throws SyntaxError when it is not JSON */
export const markIntegers = (text: string): string =>
  longDigits.test(text) ? JSON.stringify(parseJson(text), toMarked) : text;

/** After the library has written a text. */
export const unmarkIntegers = (text: string): string => (text.includes(mark) ? text.replace(marked, '$1') : text);
