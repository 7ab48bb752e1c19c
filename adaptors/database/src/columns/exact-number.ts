const decimal = /^([+-]?)0*(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Digits without zeros at their ends, and the power of ten of the last digit: equal decimals have equal parts. */
const partsOf = (text: string): readonly [digits: string, exponent: number] | undefined => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? [];
  if (sign === undefined || !/\d/.test(text)) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return ['0', 0];
  return [`${sign === '-' ? '-' : ''}${kept}`, Number(exponent) - fraction.length + (digits.length - kept.length)];
};

/** Are both texts the same decimal number? `1`, `1.0` and `1e0` are; two numbers that only a double treats as equal are not. */
export const areSameDecimals = (left: string, right: string): boolean => {
  const [one, other] = [partsOf(left), partsOf(right)];
  return one !== undefined && other !== undefined && one[0] === other[0] && one[1] === other[1];
};

const integer = /^[+-]?\d+(?:\.0*)?$/;

const within64Bits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/**
 * A decimal number as the model holds it: an integer of up to 64 bits, or a double whose shortest spelling is the same
 * decimal. Undefined when the model cannot hold it without rounding.
 */
export const parseExactNumber = (text: string): number | bigint | undefined => {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  if (integer.test(text)) {
    const value = BigInt(text.replace(/^\+|\..*$/g, ''));
    if (within64Bits(value)) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const [digits, exponent] = partsOf(String(value)) ?? [];
  if (digits !== parts[0] || exponent !== parts[1]) return undefined;
  return value === 0 ? 0 : value;
};

/** A double as the model holds it: an integer of up to 64 bits keeps all its digits. Undefined for NaN and infinity. */
export const toExactNumber = (value: number): number | bigint | undefined => {
  if (!Number.isFinite(value)) return undefined;
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  return within64Bits(BigInt(value)) ? BigInt(value) : value;
};

/** A value of a 4-byte float as the double with its shortest spelling: 0.1, not 0.10000000149011612. */
export const fromFloat = (value: number): number => {
  for (let digits = 1; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === Math.fround(value)) return shorter;
  }
  return Number(value.toPrecision(9));
};

/** Numbers of which a double may lose digits: many digits, or an exponent. */
const maybeRounded = /[\d.]{16}|\d[eE]/;
const token = /"(?:[^"\\]|\\.)*?"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Does the text contain a number that the model cannot hold without rounding? The text is valid JSON. */
export const hasRoundedNumber = (json: string): boolean => {
  if (!maybeRounded.test(json)) return false;
  for (const [found] of json.matchAll(token))
    if (!found.startsWith('"') && parseExactNumber(found) === undefined) return true;
  return false;
};
