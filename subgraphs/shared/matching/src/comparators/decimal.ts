/** `units` / 10^`scale`, exact. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const pattern = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** The number that JSON or a decimal text shows: 0.1 is a tenth, and an integer keeps all of its digits. */
export const toDecimal = (value: number | bigint | string): Decimal => {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = pattern.exec(String(value)) ?? [];
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units: digits, scale } : { units: digits * 10n ** BigInt(-scale), scale: 0 };
};

const unitsAt = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale);

/** Both in units of the finer scale. */
const aligned = (a: Decimal, b: Decimal): [bigint, bigint, number] => {
  const scale = Math.max(a.scale, b.scale);
  return [unitsAt(a, scale), unitsAt(b, scale), scale];
};

export const addDecimals = (a: Decimal, b: Decimal): Decimal => {
  const [left, right, scale] = aligned(a, b);
  return { units: left + right, scale };
};

/** Is `a` at least `b`? */
export const reaches = (a: Decimal, b: Decimal): boolean => {
  const [left, right] = aligned(a, b);
  return left >= right;
};

/** Do the two differ by no more than the tolerance? */
export const areWithin = (a: Decimal, b: Decimal, tolerance: Decimal): boolean => {
  const [left, right, scale] = aligned(a, b);
  const distance = left > right ? left - right : right - left;
  return reaches(tolerance, { units: distance, scale });
};

/** Which multiple of the width lies at or below it. Two that differ by no more than the width are neighbours. */
export const bucketOf = (value: Decimal, width: Decimal): bigint => {
  const [units, step] = aligned(value, width);
  const quotient = units / step;
  return units < 0n && quotient * step !== units ? quotient - 1n : quotient;
};

/** One text for equal numbers: 1.0 and 1 agree. */
export const decimalText = ({ units, scale }: Decimal): string => {
  let [digits, places] = [units, scale];
  while (places > 0 && digits % 10n === 0n) [digits, places] = [digits / 10n, places - 1];
  return `${digits}/${places}`;
};
