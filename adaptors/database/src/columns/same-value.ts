import type { JsonValue } from '@fds/adaptor-protocol';
import { areEqualJson } from '@fds/adaptor-sdk';
import type { ColumnType } from '../configuration/table-metadata.js';
import { areSameDecimals } from './exact-number.js';
import { parseTimestamp } from './timestamp-text.js';

type Held = JsonValue | undefined;

const instantOf = (value: Held): bigint | undefined => (typeof value === 'string' ? parseTimestamp(value) : undefined);

const isNumeric = (value: Held): value is number | bigint | string =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && value.trim() !== '');

/** `1`, `1.0` and `"1"` are the same number. Every digit counts. */
const areSameNumbers = (left: Held, right: Held): boolean =>
  isNumeric(left) && isNumeric(right) && areSameDecimals(String(left), String(right));

/** Do both values of a property mean the same in a column of this type? Times are compared by instant, texts exactly. */
export const areSameInColumn = (type: ColumnType | undefined, left: Held, right: Held): boolean => {
  if (areEqualJson(left, right)) return true;
  switch (type) {
    case 'TIMESTAMP':
      return instantOf(left) !== undefined && instantOf(left) === instantOf(right);
    case 'DOUBLE':
    case 'DECIMAL':
      return areSameNumbers(left, right);
    case 'LONG':
    case 'INTEGER':
      return isNumeric(left) && isNumeric(right) && String(left) === String(right);
    case 'STRING':
      return isNumeric(left) && isNumeric(right) && String(left) === String(right);
    default:
      return false;
  }
};

/** A fixed precision rounds a number by at most half a unit, a `float4` by a small part of it. */
const isRoundedNumber = (sent: number, stored: number): boolean =>
  Math.abs(sent - stored) <= Math.max(0.5, Math.abs(sent) * 1e-6);

const oneSecond = 1_000_000n;

const isRoundedInstant = (sent: bigint, stored: bigint): boolean => {
  const distance = sent - stored;
  return distance < oneSecond && distance > -oneSecond;
};

/**
 * Can a column hold `stored` after `sent` was written to it? A column rounds numbers and times, pads or trims blanks, and
 * changes the case of letters. For each other difference the answer is no.
 */
export const mayBeRounded = (sent: Held, stored: Held): boolean => {
  if (areEqualJson(sent, stored)) return true;
  if (isNumeric(sent) && isNumeric(stored) && Number.isFinite(Number(sent)) && Number.isFinite(Number(stored)))
    return isRoundedNumber(Number(sent), Number(stored));
  const [sentAt, storedAt] = [instantOf(sent), instantOf(stored)];
  if (sentAt !== undefined && storedAt !== undefined) return isRoundedInstant(sentAt, storedAt);
  return (
    typeof sent === 'string' &&
    typeof stored === 'string' &&
    sent.trimEnd().toLowerCase() === stored.trimEnd().toLowerCase()
  );
};
