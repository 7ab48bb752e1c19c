import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseValue } from 'graphql';
import { DateTime, Json, JsonText, Long, Uuid } from './scalars.js';

describe('Long', () => {
  it.each([
    [0, 0],
    [-5, -5],
    ['42', 42],
    [9007199254740991n, 9007199254740991],
    [9223372036854775807n, 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('reads %p as %p', (given, read) => {
    expect(Long.parseValue(given)).toBe(read);
    expect(Long.serialize(given)).toBe(read);
  });

  it.each([1.5, Number.NaN, 2 ** 53, '1.0', '', true, null, 9223372036854775808n, {}])('refuses %p', (given) => {
    expect(() => Long.parseValue(given)).toThrow('Long');
  });

  it('gives back every 64-bit integer, as number or text, and no other', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (value) => {
        const fits = BigInt.asIntN(64, value) === value;
        for (const given of [value, String(value)]) {
          if (fits) expect(BigInt(Long.serialize(Long.parseValue(given)))).toBe(value);
          else expect(() => Long.parseValue(given)).toThrow('Long');
        }
      }),
    );
  });

  it('keeps every digit of a literal', () => {
    expect(Long.parseLiteral(parseValue('9223372036854775807'))).toBe(9223372036854775807n);
    expect(() => Long.parseLiteral(parseValue('9223372036854775808'))).toThrow('64-bit');
  });
});

describe('Uuid', () => {
  it('reads any case as lower case', () => {
    expect(Uuid.parseValue('019A5D2E-0000-7000-8000-00000000000A')).toBe('019a5d2e-0000-7000-8000-00000000000a');
  });
  it.each(['', 'not-a-uuid', 7, '019a5d2e-0000-7000-8000-00000000000'])('refuses %p', (given) => {
    expect(() => Uuid.parseValue(given)).toThrow('Uuid');
  });
});

describe('DateTime', () => {
  it('writes RFC 3339 and leaves text alone', () => {
    expect(DateTime.serialize(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(DateTime.serialize('2026-01-01T00:00:00.123456Z')).toBe('2026-01-01T00:00:00.123456Z');
  });
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2024-02-29T23:59:59.999999999+02:00', '2024-02-29T21:59:59.999Z'],
    ['0001-01-01t00:00:00z', '0001-01-01T00:00:00.000Z'],
  ])('reads %s', (given, read) => {
    expect(DateTime.parseValue(given).toISOString()).toBe(read);
    expect(DateTime.parseLiteral(parseValue(JSON.stringify(given)))).toEqual(new Date(read));
  });
  it.each([
    'yesterday',
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+24:00',
    0,
    null,
    {},
  ])('refuses %p', (given) => {
    expect(() => DateTime.parseValue(given)).toThrow('RFC 3339');
  });
  it('refuses literals that are not text', () => {
    expect(() => DateTime.parseLiteral(parseValue('20260101'))).toThrow('RFC 3339');
  });
});

describe('Json', () => {
  it('goes out as JSON-encoded text, exact beyond 2^53', () => {
    expect(Json.serialize({ a: 9223372036854775807n })).toBe('{"a":9223372036854775807}');
    expect(Json.serialize(new JsonText('{"raw":1}'))).toBe('{"raw":1}');
  });
  it('comes in as text or native', () => {
    expect(Json.parseValue('{"a":9223372036854775807}')).toEqual({ a: 9223372036854775807n });
    expect(Json.parseValue({ a: [1, null] })).toEqual({ a: [1, null] });
    expect(Json.parseLiteral(parseValue('{a: [true, 1]}'))).toEqual({ a: [true, 1] });
  });
  it.each(['{a:', '', '{"a":1,}', "{'a':1}", '[1', 'NaN'])('refuses text that is not JSON: %s', (text) => {
    expect(() => Json.parseValue(text)).toThrow('Json');
    expect(() => Json.parseLiteral(parseValue(JSON.stringify(text)))).toThrow('Json');
  });
  it('gives back every value that JSON can hold', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), int64), (value) => {
        const text = Json.serialize(value);
        expect(Json.serialize(Json.parseValue(text))).toBe(text);
      }),
    );
  });
});
