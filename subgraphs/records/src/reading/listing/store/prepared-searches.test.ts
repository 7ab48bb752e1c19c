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

  it('are the 64 that were asked for last, and a new search replaces the oldest after ten requests', () => {
    const searches = createPreparedSearches();
    const texts = Array.from({ length: 65 }, (_, index) => `search ${index}`);
    for (const text of texts.slice(0, 64)) expect(ask(searches, text, 11)).toMatch(/^records-search-/);
    // the first search stays in use, so that the second one is the oldest
    expect(searches.nameOf('search 0')).toBeDefined();
    expect(ask(searches, 'search 64', 10)).toBeUndefined();
    expect(searches.nameOf('search 64')).toMatch(/^records-search-/);
    expect(searches.nameOf('search 1')).toBeUndefined();
    expect(texts.filter((text) => searches.nameOf(text) !== undefined)).toHaveLength(64);
    expect(ask(searches, 'search 1', 10)).toMatch(/^records-search-/);
  });

  it('have at most half a mebibyte of text together', () => {
    const searches = createPreparedSearches();
    const texts = Array.from({ length: 20 }, (_, index) => String(index).padEnd(30_000, ' '));
    for (const text of texts) expect(ask(searches, text, 11)).toMatch(/^records-search-/);
    expect(texts.filter((text) => searches.nameOf(text) !== undefined)).toEqual(texts.slice(-8));
    expect(ask(searches, ' '.repeat(300_000), 30)).toBeUndefined();
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
