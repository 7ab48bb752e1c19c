import { describe, expect, it } from '@jest/globals';
import { casesOf, createRandom } from '@fds/testing';
import { areSameDecimals, fromFloat, hasRoundedNumber, parseExactNumber, toExactNumber } from './exact-number.js';

describe('a number that the model holds', () => {
  it.each<[string, number | bigint | undefined]>([
    ['0', 0],
    ['-0.00', 0],
    ['0.1', 0.1],
    ['1.10', 1.1],
    ['+5', 5],
    ['007', 7],
    ['.5', 0.5],
    ['9007199254740993.00', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['100000000000000000000', 1e20],
    ['1e300', 1e300],
    ['1E-7', 1e-7],
    ['18446744073709551615', undefined],
    ['0.1234567890123456789', undefined],
    ['12345678901234567.5', undefined],
    ['9007199254740993e0', undefined],
    ['1e400', undefined],
    ['1e-400', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['0x10', undefined],
    ['1,5', undefined],
    ['$5.00', undefined],
    ['', undefined],
    ['.', undefined],
    ['-', undefined],
  ])('%s', (text, value) => {
    expect(parseExactNumber(text)).toBe(value);
  });

  it('keeps every double and every 64-bit integer', () => {
    const { next } = createRandom(7);
    for (let at = 0; at < casesOf(2_000); at += 1) {
      const value = new Float64Array(new BigUint64Array([BigInt(Math.floor(next() * 2 ** 53)) * 2048n]).buffer)[0] ?? 0;
      if (Number.isFinite(value)) expect(Number(toExactNumber(value))).toBe(value);
      if (Number.isFinite(value)) expect(Number(parseExactNumber(String(value)))).toBe(value);
      const whole = BigInt.asIntN(64, BigInt(Math.floor(next() * 2 ** 53)) * 4099n);
      expect(BigInt(parseExactNumber(String(whole)) ?? -1)).toBe(whole);
    }
    expect(toExactNumber(2 ** 60)).toBe(2n ** 60n);
    expect(toExactNumber(Number.NaN)).toBeUndefined();
  });

  it.each([
    ['1', '1.0', true],
    ['100', '1e2', true],
    ['-0', '0.00', true],
    ['9007199254740993', '9007199254740992', false],
    ['0.12345678901234567891', '0.12345678901234567890', false],
    ['', '0', false],
    ['a', 'a', false],
  ])('%s and %s are the same decimal: %s', (left, right, same) => {
    expect([areSameDecimals(left, right), areSameDecimals(right, left)]).toEqual([same, same]);
  });

  it('is the shortest spelling of a 4-byte float', () => {
    expect([16_777_216, 0.1, 3.4028235e38, 1e-45, 123_456.79].map((value) => fromFloat(Math.fround(value)))).toEqual([
      16_777_216, 0.1, 3.4028235e38, 1e-45, 123_456.79,
    ]);
    const { next } = createRandom(11);
    for (let at = 0; at < casesOf(2_000); at += 1) {
      const value = new Float32Array(new Uint32Array([Math.floor(next() * 2 ** 32)]).buffer)[0] ?? 0;
      if (Number.isFinite(value)) expect(Math.fround(fromFloat(value))).toBe(value);
    }
  });

  it.each([
    ['{"a":[1,2.5,"12345678901234567890",1e10]}', false],
    ['{"a":9223372036854775807}', false],
    ['{"a\\"1e400":1}', false],
    ['{"a":{"b":[1e400]}}', true],
    ['[18446744073709551615]', true],
    ['0.12345678901234567890', true],
  ])('has rounded numbers %s: %s', (json, rounded) => {
    expect(hasRoundedNumber(json)).toBe(rounded);
  });
});
