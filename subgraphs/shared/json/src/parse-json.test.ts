import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from './parse-json.js';
import { stringifyJson } from './stringify-json.js';

const greatest = 9223372036854775807n;
const least = -9223372036854775808n;

describe('parseJson', () => {
  it.each([
    ['9223372036854775807', greatest],
    ['-9223372036854775808', least],
    [' \n9223372036854775807\r\n', greatest],
    ['[9007199254740991,9007199254740993]', [9007199254740991, 9007199254740993n]],
    ['9007199254740993.00', 9007199254740993n],
    ['{"a":9223372036854775807}', { a: greatest }],
    ['{"a" :\n9223372036854775807\n}', { a: greatest }],
    ['[[-9223372036854775808],{"b":[1,9223372036854775807]}]', [[least], { b: [1, greatest] }]],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    ['6.8500000000000005', 6.8500000000000005],
    ['{"a":6.8500000000000005,"b":9223372036854775807}', { a: 6.8500000000000005, b: greatest }],
    ['[1e2,1.5E-3,-0.1,9223372036854775807]', [100, 0.0015, -0.1, greatest]],
  ])('leaves the fractions of %s numbers', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    ['"9223372036854775807"', '9223372036854775807'],
    [
      '{"a":"x: 9223372036854775807, ","b":"[9223372036854775807]"}',
      { a: 'x: 9223372036854775807, ', b: '[9223372036854775807]' },
    ],
    ['["\\"9223372036854775807",9223372036854775807]', ['"9223372036854775807', greatest]],
  ])('leaves the digits inside the strings of %s alone', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['{"__proto__":{"x":1}}', '{"__proto__":{"x":9223372036854775807}}'])('makes %s an own property', (text) => {
    const value = parseJson(text) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(stringifyJson(value)).toBe(text);
  });

  it.each(['{"a":1,"a":2}', '{"a":9223372036854775807,"a":2}'])('takes the last of the same names in %s', (text) => {
    expect(parseJson(text)).toEqual({ a: 2 });
  });

  it.each([
    '',
    '{',
    '[1,]',
    '{"a":9223372036854775807,}',
    '9223372036854775807 x',
    '[09223372036854775807]',
    "{'a':1}",
  ])('refuses %j as JSON.parse does', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('refuses text that nests too deeply, however it ends', () => {
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(SyntaxError);
    expect(() => parseJson(`${'{"a":'.repeat(1001)}9223372036854775807${'}'.repeat(1001)}`)).toThrow(SyntaxError);
    const deep = `${'['.repeat(1000)}9223372036854775807${']'.repeat(1000)}`;
    expect(stringifyJson(parseJson(deep))).toBe(deep);
    const brackets = '\\"['.repeat(2000);
    expect(parseJson(`["${brackets}"]`)).toEqual(['"['.repeat(2000)]);
  });

  it('gives back whatever was written', () => {
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());
    const int64 = fc.bigInt({ min: least, max: greatest }).map((value) => {
      const small = Number(value);
      return Number.isSafeInteger(small) ? small : value;
    });
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.string({ unit: 'binary' }), number, int64, fc.boolean(), fc.constant(null)),
        fc.array(tie('json')),
        fc.dictionary(fc.string(), tie('json')),
      ),
    }));
    fc.assert(
      fc.property(json, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });
});
