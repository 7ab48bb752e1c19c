import { describe, expect, it } from '@jest/globals';
import { failuresBefore, waitBeforeAttempt } from './reconnection.js';

describe('the wait before a reconnection', () => {
  it.each([
    [0, 100, 200],
    [1, 200, 400],
    [4, 1_600, 3_200],
    [6, 5_000, 10_000],
    [1_000, 5_000, 10_000],
  ])('after %i failures, is random and between %i and %i ms', (failures, least, most) => {
    const waits = Array.from({ length: 1_000 }, () => waitBeforeAttempt(failures));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
    // 1000 clients that lose the same broker spread over the whole range
    const range = most - least;
    const tenths = new Set(waits.map((wait) => Math.floor(((wait - least) / range) * 10)));
    expect(tenths.size).toBeGreaterThanOrEqual(10);
  });

  it('is short again only after a connection that lasted five seconds', () => {
    expect([failuresBefore(4, 0), failuresBefore(4, 4_999), failuresBefore(4, 5_000)]).toEqual([4, 4, 0]);
  });
});
