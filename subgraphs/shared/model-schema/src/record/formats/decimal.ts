/** Digits of a decimal before and after its point together. */
const maxDigits = 100;

const pattern = /^-?\d+(?:\.\d+)?$/;

/** A decimal number as plain digits: no exponent, no sign but a minus. */
export const isDecimal = (text: string): boolean => {
  // a sign, a point and the digits
  if (text.length > maxDigits + 2 || !pattern.test(text)) return false;
  return text.replace(/[-.]/g, '').length <= maxDigits;
};

/** One text for equal decimals: `-0.50` is `-0.5`, `007` is `7`, and `-0` is `0`. */
export const canonicalDecimal = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const [digits, places] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
  const number = places === '' ? digits : `${digits}.${places}`;
  return text.startsWith('-') && number !== '0' ? `-${number}` : number;
};
