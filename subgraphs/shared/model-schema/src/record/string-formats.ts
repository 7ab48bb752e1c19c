import { isUuid } from '@fds/json';
import { isDecimal } from './formats/decimal.js';
import { isDate, isDateTime, isTime } from './formats/date-time.js';
import { isEmail } from './formats/email.js';
import { isIpv4, isIpv6 } from './formats/ip-address.js';
import { isUri } from './formats/uri.js';

/** Returns whether a text has a format. The time is linear in the length of the text. */
type FormatTest = (text: string) => boolean;

/** A format that data is validated against. */
export interface StringFormat {
  readonly name: string;
  readonly test: FormatTest;
}

/**
 * Formats a string may declare (docs/reference/model-schema.md#model-schema). Data is not validated against formats
 * without a test.
 */
const formats: ReadonlyMap<string, FormatTest | undefined> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['email', isEmail],
  ['uri', isUri],
  ['uuid', isUuid],
  ['hostname', undefined],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['regex', undefined],
  ['decimal', isDecimal],
]);

export const formatNames: readonly string[] = [...formats.keys()];

export const isFormatName = (name: string): boolean => formats.has(name);

/** The format of this name; undefined when data is not validated against it. */
export const validatedFormat = (name: string): StringFormat | undefined => {
  const test = formats.get(name);
  return test === undefined ? undefined : { name, test };
};
