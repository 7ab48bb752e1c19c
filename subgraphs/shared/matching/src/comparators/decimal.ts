import { Big } from 'big.js';

/** Division without a remainder: quotients are cut off at the point. */
const Whole = Big();
Whole.DP = 0;
Whole.RM = Big.roundDown;

/** Do the two differ by no more than the tolerance? */
export const areWithin = (a: Big, b: Big, tolerance: Big): boolean => a.minus(b).abs().lte(tolerance);

/** Which multiple of the width lies at or below it. Two that differ by no more than the width are neighbours. */
export const bucketOf = (value: Big, width: Big): bigint => {
  const quotient = new Whole(value).div(width);
  const isAbove = quotient.times(width).gt(value);
  return BigInt(quotient.toFixed()) - (isAbove ? 1n : 0n);
};

/** One text for equal numbers, which tokens of records are made of: its digits, and how many of them follow the point. */
export const decimalText = (value: Big): string => {
  const [whole = '', fraction = ''] = value.toFixed().split('.');
  return `${BigInt(whole + fraction)}/${fraction.length}`;
};
