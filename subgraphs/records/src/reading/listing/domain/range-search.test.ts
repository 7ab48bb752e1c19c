import type { ConditionTest, SearchCondition } from '@fds/search';
import { describe, expect, it } from '@jest/globals';
import { hasOnePlan } from './range-search.js';

describe('the plan of a search', () => {
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
  ] as const)('for %s: it is one for all values: %s', (_, expected, condition) => {
    expect(hasOnePlan(condition)).toBe(expected);
  });
});
