import { Big } from 'big.js';
import type { Comparator, KeyValue } from './comparator.js';

/** Division without a remainder: quotients are cut off at the point. */
const Whole = Big();
Whole.DP = 0;
Whole.RM = Big.roundDown;

/** Do the two differ by no more than the tolerance? */
const areWithin = (a: Big, b: Big, tolerance: Big): boolean => a.minus(b).abs().lte(tolerance);

/** Which multiple of the width lies at or below it. Two that differ by no more than the width are neighbours. */
const bucketOf = (value: Big, width: Big): bigint => {
  const quotient = new Whole(value).div(width);
  const isAbove = quotient.times(width).gt(value);
  return BigInt(quotient.toFixed()) - (isAbove ? 1n : 0n);
};

/** One text for equal numbers, which tokens of records are made of: its digits, and how many of them follow the point. */
const decimalText = (value: Big): string => {
  const [whole = '', fraction = ''] = value.toFixed().split('.');
  return `${BigInt(whole + fraction)}/${fraction.length}`;
};

const dayMs = 86_400_000;
const datePattern = /^\d{4}-\d\d-\d\d/;
const decimalPattern = /^-?\d+(?:\.\d+)?$/;

/** A number; for a date or a time its milliseconds. Undefined: it has no distance to anything. */
const amountOf = (value: KeyValue): Big | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return new Big(value);
  if (typeof value !== 'string' || !datePattern.test(value)) return undefined;
  // a leap second is the second before it
  const timeMs = Date.parse(value.toUpperCase().replace(/:60(?=[.Z+-])/, ':59'));
  return Number.isNaN(timeMs) ? undefined : new Big(timeMs);
};

/** Undefined for a text that the model did not check yet: it has no distance to anything. */
const decimalOf = (text: string): Big | undefined => (decimalPattern.test(text) ? new Big(text) : undefined);

const isTime = (value: KeyValue): boolean => typeof value === 'string';

interface Amount {
  readonly amount: Big;
  readonly tolerance: Big;
  readonly kind: 'time' | 'number';
}

/**
 * Numbers that differ by the tolerance at most, exact to the last digit; dates and times by so many days.
 *
 * @param form DECIMAL: texts are numbers
 */
export const within = (tolerance: number, form: 'DECIMAL' | 'PLAIN' = 'PLAIN'): Comparator<Amount> => {
  const ofNumbers = new Big(tolerance);
  const ofTimes = ofNumbers.times(dayMs);
  const bucket = ({ amount, tolerance: width }: Amount, offset: bigint): string =>
    width.eq(0) ? decimalText(amount) : String(bucketOf(amount, width) + offset);
  return {
    read: (value) => {
      const isDecimal = form === 'DECIMAL' && typeof value === 'string';
      const amount = isDecimal ? decimalOf(value) : amountOf(value);
      if (amount === undefined) return undefined;
      return isTime(value) && !isDecimal
        ? { amount, tolerance: ofTimes, kind: 'time' }
        : { amount, tolerance: ofNumbers, kind: 'number' };
    },
    holds: (source, destination) =>
      source.kind === destination.kind && areWithin(source.amount, destination.amount, source.tolerance),
    stored: (amount) => [bucket(amount, 0n)],
    asked: (amount) => [...new Set([bucket(amount, -1n), bucket(amount, 0n), bucket(amount, 1n)])],
    cost: { stored: 1, asked: 3 },
  };
};
