import { describe, expect, it } from '@jest/globals';
import type { Comparison } from '../matching-algorithm.js';
import type { KeyValue } from './comparator.js';
import { createComparator } from './create-comparator.js';

const holds = (comparison: Omit<Comparison, 'property'>, source: KeyValue, destination: KeyValue): boolean => {
  const comparator = createComparator({ property: 'name', ...comparison });
  const [left, right] = [comparator.read(source), comparator.read(destination)];
  return left !== undefined && right !== undefined && comparator.holds(left, right);
};

const long = 'x'.repeat(300);

describe('a comparator', () => {
  it.each<[Omit<Comparison, 'property'>, KeyValue, KeyValue, boolean]>([
    [{ comparator: 'EXACT' }, 'a', 'a', true],
    [{ comparator: 'EXACT' }, 'a', 'A', false],
    [{ comparator: 'EXACT' }, '1', 1, false],
    [{ comparator: 'EXACT' }, 1, 1n, true],
    [{ comparator: 'EXACT' }, 9_223_372_036_854_775_807n, 9_223_372_036_854_775_806n, false],
    [{ comparator: 'EXACT' }, true, 'true', false],
    [{ comparator: 'IGNORE_CASE' }, 'Straße', 'STRASSE', true],
    [{ comparator: 'IGNORE_CASE' }, 'ΟΔΟΣ', 'οδοσ', true],
    [{ comparator: 'IGNORE_CASE' }, 'e\u0301', 'É', true],
    [{ comparator: 'IGNORE_CASE' }, 'Jose', 'José', false],
    [{ comparator: 'IGNORE_CASE' }, 'a b', 'a  b', false],
    [{ comparator: 'NORMALIZED' }, '  O’Brien-Łoś,  Zoë ', "obrien los zoe'", true],
    [{ comparator: 'NORMALIZED' }, 'St. Gallen', 'st gallen', true],
    [{ comparator: 'NORMALIZED' }, 'C++', 'C', false],
    [{ comparator: 'NORMALIZED' }, '한글', '한글', true],
    [{ comparator: 'NORMALIZED' }, '--', '..', false],
    [{ comparator: 'NORMALIZED' }, 12, '12', true],
    [{ comparator: 'FUZZY', maxEdits: 0 }, 'Meyer', 'meyer', true],
    [{ comparator: 'FUZZY', maxEdits: 1 }, 'Meyer', 'Meier', true],
    [{ comparator: 'FUZZY', maxEdits: 1 }, 'Meyer', 'Myer', true],
    [{ comparator: 'FUZZY', maxEdits: 1 }, 'Meyer', 'Meyyer', true],
    [{ comparator: 'FUZZY', maxEdits: 1 }, 'Meyer', 'Meyre', false],
    [{ comparator: 'FUZZY' }, 'Meyer', 'Meyre', true],
    [{ comparator: 'FUZZY' }, 'Meyer', 'Maierx', false],
    [{ comparator: 'FUZZY' }, long, `${long}y`, false],
    [{ comparator: 'FUZZY' }, long, long, true],
    [{ comparator: 'PREFIX', length: 3 }, 'Schmidt', 'SCHulz', true],
    [{ comparator: 'PREFIX', length: 4 }, 'Schmidt', 'SCHulz', false],
    [{ comparator: 'PREFIX', length: 4 }, 'Li', 'li', true],
    [{ comparator: 'PREFIX', length: 4 }, 'Li', 'Lisa', false],
    [{ comparator: 'PREFIX', length: 1 }, '😀a', '😀b', true],
    [{ comparator: 'PREFIX', length: 3 }, long, `${long}y`, false],
    [{ comparator: 'PHONETIC' }, 'Smith', 'Smyth', true],
    [{ comparator: 'PHONETIC' }, 'Smith', 'Schmidt', true],
    [{ comparator: 'PHONETIC' }, 'Jon Smith', 'John Smyth', true],
    [{ comparator: 'PHONETIC' }, 'Jon Smith', 'Smith Jon', false],
    [{ comparator: 'PHONETIC' }, 'Unit 12', 'Unit 13', false],
    [{ comparator: 'PHONETIC' }, 'Smith', 'Miller', false],
    [{ comparator: 'WITHIN', tolerance: 0.1 }, 1, 1.1, true],
    [{ comparator: 'WITHIN', tolerance: 0.2 }, 0.1, 0.3, true],
    [{ comparator: 'WITHIN', tolerance: 1 }, 9_223_372_036_854_775_807n, 9_223_372_036_854_775_806n, true],
    [{ comparator: 'WITHIN', tolerance: 1 }, 9_223_372_036_854_775_807n, 9_223_372_036_854_775_805n, false],
    [{ comparator: 'WITHIN', tolerance: 1 }, -0.5, 0.5, true],
    [{ comparator: 'WITHIN', tolerance: 0 }, 5, 5.0, true],
    [{ comparator: 'WITHIN', tolerance: 0 }, 5e-324, 0, false],
    [{ comparator: 'WITHIN', tolerance: 1e-300 }, 1e300, 1e300, true],
    [{ comparator: 'WITHIN', tolerance: 3 }, '2024-02-28', '2024-03-02', true],
    [{ comparator: 'WITHIN', tolerance: 3 }, '2023-02-27', '2023-03-03', false],
    [{ comparator: 'WITHIN', tolerance: 0.5 }, '2024-01-01T00:00:00Z', '2024-01-01T14:00:00+02:00', true],
    [{ comparator: 'WITHIN', tolerance: 0.5 }, '2024-01-01T00:00:00Z', '2024-01-01T12:00:00.001Z', false],
    [{ comparator: 'WITHIN', tolerance: 0 }, '2016-12-31T23:59:60Z', '2016-12-31t23:59:60z', true],
    [{ comparator: 'WITHIN', tolerance: 5 }, '5', '5', false],
    [{ comparator: 'WITHIN', tolerance: 5 }, true, true, false],
  ])('%j of %s and %s: %s', (comparison, source, destination, expected) => {
    expect(holds(comparison, source, destination)).toBe(expected);
    expect(holds(comparison, destination, source)).toBe(expected);
  });
});

describe('WITHIN for decimal texts', () => {
  const within = (tolerance: number) =>
    createComparator({ property: 'price', comparator: 'WITHIN', tolerance }, 'DECIMAL');

  it.each([
    ['10.00', '10.5', 0.5, true],
    ['10.00', '10.50000000000000000001', 0.5, false],
    ['-0.1', '0.1', 0.2, true],
    ['12345678901234567890.1', '12345678901234567890.1000', 0, true],
  ])('compares %s with %s at a tolerance of %s: %s', (source, destination, tolerance, expected) => {
    const comparator = within(tolerance);
    const [left, right] = [comparator.read(source), comparator.read(destination)];
    expect(comparator.holds(left, right)).toBe(expected);
  });

  it('stores one token for equal numbers, and the same token in every release', () => {
    expect(['1.50', '01.5'].map((text) => within(0).stored(within(0).read(text)))).toEqual([['15/1'], ['15/1']]);
    expect(['-0.50', '1200', '-0'].flatMap((text) => within(0).stored(within(0).read(text)))).toEqual([
      '-5/1',
      '1200/0',
      '0/0',
    ]);
    expect(['-0.1', '0', '0.4', '0.5'].flatMap((text) => within(0.5).stored(within(0.5).read(text)))).toEqual([
      '-1',
      '0',
      '0',
      '1',
    ]);
  });

  it('treats a text that is not a decimal number as absent', () => {
    expect(['1e3', '+1', 'ten', ''].map((text) => within(1).read(text))).toEqual(Array(4).fill(undefined));
  });
});
