import { describe, expect, it } from '@jest/globals';
import { parseJson } from './parse-json.js';

const greatest = 9223372036854775807n;

describe('parseJson', () => {
  it.each([
    ['9223372036854775807', greatest],
    ['{"a":-9223372036854775808}', { a: -9223372036854775808n }],
    ['9007199254740993.00', 9007199254740993n],
    ['[9007199254740991,"9223372036854775807"]', [9007199254740991, '9223372036854775807']],
    ['{"a":6.8500000000000005,"b":9223372036854775807}', { a: 6.8500000000000005, b: greatest }],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    ['small', '1', 1],
    ['large', '9223372036854775807', greatest],
  ])('uses the last of several members with the same name, with a %s number in the text', (_size, written, number) => {
    expect(parseJson(`{"a":1,"a":2,"b":${written}}`)).toEqual({ a: 2, b: number });
  });

  it.each(['1', '9223372036854775807'])('keeps `__proto__` as an ordinary member, with %s in the text', (number) => {
    const value = parseJson(`{"__proto__":{"x":1},"b":${number}}`) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'b']);
    expect('x' in value).toBe(false);
  });

  it('refuses text that is not JSON, also if it contains a large number', () => {
    for (const text of ['{"a":}', '{"a":9223372036854775807,}']) expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
