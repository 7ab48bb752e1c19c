import { expect, it } from '@jest/globals';
import { stringifyJson } from '@fds/json';
import { isLongerThan } from './answer-size.js';

const text = 'x'.repeat(1_000_000);

it('counts a value each time it occurs in the answer', () => {
  const answer = { data: Array.from({ length: 50 }, () => ({ a: text, b: text })) };
  expect(isLongerThan(answer, 101_000_000)).toBe(false);
  expect(isLongerThan(answer, 99_000_000)).toBe(true);
});

it('counts many small values and names', () => {
  const answer = Array.from({ length: 10_000 }, (_, n) => ({
    number: n,
    big: 9_223_372_036_854_775_807n,
    nothing: null,
  }));
  const { length } = stringifyJson(answer);
  expect(isLongerThan(answer, length * 2)).toBe(false);
  expect(isLongerThan(answer, length / 2)).toBe(true);
});

it('accepts an answer without data', () => {
  expect(isLongerThan(undefined, 10)).toBe(false);
});
