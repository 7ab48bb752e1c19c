import { describe, expect, it } from '@jest/globals';
import { canonicalDecimal, isDecimal } from './decimal.js';

const hundred = '1'.repeat(100);

describe('a decimal', () => {
  it.each(['0', '-0', '007', '12.50', '-0.1', hundred, `-${'1'.repeat(50)}.${'2'.repeat(50)}`])('is %s', (text) => {
    expect(isDecimal(text)).toBe(true);
  });

  it.each(['', '-', '+1', '.5', '5.', '1e3', '1,5', ' 1', '0x1', '\u0661', 'NaN', `${hundred}1`, `${hundred}.1`])(
    'is not %p',
    (text) => {
      expect(isDecimal(text)).toBe(false);
    },
  );

  it.each([
    ['1.00', '1'],
    ['007', '7'],
    ['-0.50', '-0.5'],
    ['-0.0', '0'],
    ['100', '100'],
    ['0.010', '0.01'],
  ])('%s is the number %s', (text, canonical) => {
    expect(canonicalDecimal(text)).toBe(canonical);
  });
});
