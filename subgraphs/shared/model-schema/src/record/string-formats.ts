import { isUuid } from '@fds/json';
import { isDecimal } from './formats/decimal.js';
import { isDate, isDateTime, isTime } from './formats/date-time.js';
import { isEmail } from './formats/email.js';
import { isIpv4, isIpv6 } from './formats/ip-address.js';
import { isUri } from './formats/uri.js';

/** Holds a text against a format, in time linear in its length. */
export type FormatTest = (text: string) => boolean;

/**
 * Formats a string may declare (docs/specification/domains.md#model-schema). Data is not validated against formats
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

/** The test of a format; undefined when data is not validated against it. */
export const formatTest = (name: string): FormatTest | undefined => formats.get(name);
