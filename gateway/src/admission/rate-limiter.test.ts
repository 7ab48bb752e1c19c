import { expect, it } from '@jest/globals';
import { createRateLimiter } from './rate-limiter.js';

it('counts each key separately, and starts again every second', () => {
  let ms = 5_000;
  const limiter = createRateLimiter(2, () => new Date(ms));
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([1, 0, -1]);
  expect(limiter.take('b')).toBe(1);
  ms = 5_999;
  expect(limiter.take('a')).toBe(-2);
  ms = 6_000;
  expect(limiter.take('a')).toBe(1);
  expect([limiter.take('c', 2), limiter.take('d', 3)]).toEqual([0, -1]);
});
