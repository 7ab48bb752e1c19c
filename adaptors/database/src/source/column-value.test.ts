import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType } from '../configuration/table-metadata.js';
import type { ColumnValue } from '../columns/column-text.js';
import type { Dialect } from './dialect.js';
import { toColumn, toProperty, ValueFault } from './column-value.js';
import { formatDateTime, formatSqliteTimestamp, parseTimestamp } from '../columns/timestamp-text.js';

describe('toProperty', () => {
  it.each<[ColumnType, ColumnValue, JsonValue]>([
    ['STRING', 'a', 'a'],
    ['STRING', 5n, '5'],
    ['STRING', null, null],
    ['LONG', '9223372036854775807', 9223372036854775807n],
    ['LONG', 9223372036854775807n, 9223372036854775807n],
    ['LONG', 42n, 42],
    ['DOUBLE', '1.5', 1.5],
    ['DECIMAL', '8.90', 8.9],
    ['DECIMAL', '9223372036854775807', 9223372036854775807n],
    ['DECIMAL', '100000000000000000000', 1e20],
    ['DOUBLE', 2 ** 60, 2n ** 60n],
    ['LONG', 2 ** 60, 2n ** 60n],
    ['DOUBLE', 1e300, 1e300],
    ['DOUBLE', -0, 0],
    ['BYTES', '\\x0102ff', 'AQL/'],
    ['BYTES', new Uint8Array([1, 2, 255]), 'AQL/'],
    ['BYTES', new Uint8Array([1, 2, 255]).buffer, 'AQL/'],
    ['STRING', new Uint8Array([1, 2, 255]).buffer, 'AQL/'],
    ['JSON', '{"a":[1,9223372036854775807,null]}', { a: [1, 9223372036854775807n, null] }],
    ['BOOLEAN', 1n, true],
    ['BOOLEAN', 'f', false],
    ['LOCAL_DATE', '2026-01-02 00:00:00', '2026-01-02'],
    ['TIMESTAMP', '2026-01-02 03:04:05.123456+00', '2026-01-02T03:04:05.123456Z'],
    ['TIMESTAMP', '2026-01-02 03:04:05', '2026-01-02T03:04:05Z'],
    ['TIMESTAMP', '2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
  ])('%s %p is %p', (type, value, property) => {
    expect(toProperty(type, value)).toEqual(property);
  });

  it.each<[ColumnType, ColumnValue]>([
    ['LONG', '1.5'],
    ['LONG', '9223372036854775808'],
    ['DECIMAL', '18446744073709551615'],
    ['DECIMAL', '18446744073709551616'],
    ['DECIMAL', '0.12345678901234567890'],
    ['DECIMAL', 'NaN'],
    ['DECIMAL', '$1.00'],
    ['DOUBLE', Number.POSITIVE_INFINITY],
    ['DOUBLE', '1e400'],
    ['DOUBLE', '0x10'],
    ['JSON', '[1e400]'],
    ['JSON', '{"a":18446744073709551615}'],
    ['JSON', '{"a":[0.12345678901234567890]}'],
    ['DOUBLE', ''],
    ['LOCAL_DATE', 'infinity'],
    ['LOCAL_DATE', '2026-02-30'],
    ['BYTES', 'text'],
    ['JSON', '{a,b}'],
    ['LONG', 'x'],
    ['DOUBLE', 'x'],
    ['BOOLEAN', 'maybe'],
    ['TIMESTAMP', 'yesterday'],
  ])('refuses %s %p', (type, value) => {
    expect(() => toProperty(type, value)).toThrow(ValueFault);
  });
});

describe('toColumn', () => {
  it.each<[ColumnType, JsonValue, Dialect, ColumnValue]>([
    ['LONG', 9223372036854775807n, 'postgresql', '9223372036854775807'],
    ['LONG', 9223372036854775807n, 'sqlite', 9223372036854775807n],
    ['DECIMAL', 9223372036854775807n, 'postgresql', '9223372036854775807'],
    ['DOUBLE', 1.5, 'sqlite', 1.5],
    ['LOCAL_DATE', '2026-01-02', 'sqlite', '2026-01-02'],
    ['BYTES', 'AQL/', 'postgresql', '\\x0102ff'],
    ['JSON', { a: [9223372036854775807n] }, 'postgresql', '{"a":[9223372036854775807]}'],
    ['JSON', 'text', 'sqlite', '"text"'],
    ['BOOLEAN', true, 'postgresql', true],
    ['BOOLEAN', false, 'sqlite', 0n],
    ['TIMESTAMP', '2026-01-02T03:04:05.5Z', 'postgresql', '2026-01-02T03:04:05.5Z'],
    ['TIMESTAMP', '2026-01-02T03:04:05.5+01:00', 'sqlite', '2026-01-02 02:04:05.5'],
    ['STRING', 7, 'sqlite', '7'],
    ['LONG', 9223372036854775807n, 'mysql', 9223372036854775807n],
    ['DECIMAL', 10.125, 'mysql', 10.125],
    ['TIMESTAMP', '2026-01-02T03:04:05.5+01:00', 'mysql', '2026-01-02 02:04:05.5'],
    ...(['mssql', 'oracle'] as const).flatMap((dialect): [ColumnType, JsonValue, Dialect, ColumnValue][] => [
      ['STRING', 'é', dialect, 'é'],
      ['LOCAL_DATE', '2026-01-02', dialect, '2026-01-02'],
      ['LONG', 9223372036854775807n, dialect, '9223372036854775807'],
      ['INTEGER', -1, dialect, '-1'],
      ['DECIMAL', 10.125, dialect, '10.125'],
      ['DOUBLE', 1e300, dialect, '1e+300'],
      ['BOOLEAN', true, dialect, 1],
      ['BOOLEAN', false, dialect, 0],
      ['BYTES', 'AQL/', dialect, Buffer.from([1, 2, 255])],
      ['JSON', { a: [9223372036854775807n] }, dialect, '{"a":[9223372036854775807]}'],
      ['STRING', null, dialect, null],
    ]),
    ['TIMESTAMP', '2026-01-02T03:04:05.5+01:00', 'mssql', '2026-01-02T02:04:05.5'],
    ['TIMESTAMP', '2026-01-02T03:04:05.5+01:00', 'oracle', '2026-01-02 02:04:05.5'],
    ['STRING', null, 'sqlite', null],
  ])('%s %p for %s is %p', (type, property, dialect, value) => {
    expect(toColumn(type, property, dialect)).toEqual(value);
  });

  it.each<[ColumnType, JsonValue]>([
    ['LONG', 'x'],
    ['LONG', 9223372036854775808n],
    ['LOCAL_DATE', 'tomorrow'],
    ['BYTES', '?'],
    ['STRING', { a: 1 }],
    ['TIMESTAMP', 'x'],
    ['DOUBLE', 'x'],
  ])('refuses %s %p', (type, property) => {
    expect(() => toColumn(type, property, 'sqlite')).toThrow(ValueFault);
  });
});

describe('timestamps', () => {
  it.each(['2026-01-02T03:04:05.123456Z', '1969-12-31T23:59:59.999999Z', '2026-01-02T03:04:05Z'])(
    '%s stays unchanged after writing and reading',
    (text) => {
      expect(formatDateTime(parseTimestamp(text) ?? 0n)).toBe(text);
    },
  );
  it('are written for SQLite so that the shorter spelling of a moment sorts first', () => {
    const boundary = formatSqliteTimestamp(parseTimestamp('2026-01-02T03:04:05.000000Z') ?? 0n);
    expect('2026-01-02 03:04:05' >= boundary).toBe(true);
    expect('2026-01-02 03:04:05.000000' >= boundary).toBe(true);
    expect('2026-01-02T03:04:05Z' >= boundary).toBe(true);
  });
});
