import type { ConditionTest, SearchCondition } from '@fds/search-query';
import { describe, expect, it } from '@jest/globals';
import { createPreparedSearches, hasOnePlan } from './prepared-searches.js';

const ask = (searches: ReturnType<typeof createPreparedSearches>, text: string, times: number) =>
  Array.from({ length: times }, () => searches.nameOf(text)).at(-1);

describe('prepared searches', () => {
  it('have a name, each its own, once they were asked for often', () => {
    const searches = createPreparedSearches();
    expect(ask(searches, 'one', 10)).toBeUndefined();
    const one = searches.nameOf('one');
    expect(one).toMatch(/^records-search-/);
    expect(searches.nameOf('one')).toBe(one);
    expect(ask(searches, 'other', 11)).toMatch(/^records-search-/);
    expect(ask(searches, 'other', 1)).not.toBe(one);
  });

  it('are 64 at most: connections keep them for ever', () => {
    const searches = createPreparedSearches();
    const names = Array.from({ length: 100 }, (_, index) => ask(searches, `search ${index}`, 20));
    expect(names.filter((name) => name !== undefined)).toHaveLength(64);
    expect(searches.nameOf('search 0')).toBe(names[0]);
  });

  const property = { name: 'id', type: 'string' } as const;
  const value = { kind: 'literal', value: 'a' } as const;
  const testOf = (test: ConditionTest): SearchCondition => ({ kind: 'test', property, test });
  const equals = testOf({ kind: 'equals', value });
  const begins = testOf({ kind: 'wildcard', parts: [{ text: 'a' }, { wild: '*' }] });

  it.each([
    ['a value', true, equals],
    ['a range', true, testOf({ kind: 'range', from: { value, inclusive: true }, to: null })],
    ['a beginning', true, begins],
    [
      'a beginning and an end',
      false,
      testOf({ kind: 'wildcard', parts: [{ text: 'a' }, { wild: '*' }, { text: 'b' }] }),
    ],
    ['one more character', false, testOf({ kind: 'wildcard', parts: [{ text: 'a' }, { wild: '?' }] })],
    ['something within', false, testOf({ kind: 'wildcard', parts: [{ wild: '*' }, { text: 'a' }, { wild: '*' }] })],
    ['something alike', false, testOf({ kind: 'fuzzy', value: 'a', maxEdits: 1 })],
    ['two tests', false, { kind: 'and', of: [equals, begins] }],
    ['a negation', false, { kind: 'not', of: equals }],
    ['no search', false, undefined],
  ] as const)('of %s: one plan for all values is %s', (_, expected, condition) => {
    expect(hasOnePlan(condition)).toBe(expected);
  });
});
