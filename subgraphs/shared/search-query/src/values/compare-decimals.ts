interface Decimal {
  readonly digits: bigint;
  /** digits * 10^exponent */
  readonly exponent: number;
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const read = (text: string): Decimal => {
  const found = decimal.exec(text);
  if (found === null) throw new TypeError(`not a decimal number: ${text}`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = found;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length };
};

/** Below 0, 0, or above 0 as the first is less, equal or greater; exact. Exponents are of a few digits. */
export const compareDecimals = (first: string, second: string): number => {
  const [a, b] = [read(first), read(second)];
  const least = Math.min(a.exponent, b.exponent);
  const [x, y] = [a.digits * 10n ** BigInt(a.exponent - least), b.digits * 10n ** BigInt(b.exponent - least)];
  if (x === y) return 0;
  return x < y ? -1 : 1;
};
