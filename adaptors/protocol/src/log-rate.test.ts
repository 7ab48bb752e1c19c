import { describe, expect, it } from '@jest/globals';
import { createLogRate } from './log-rate.js';

describe('the rate of log entries', () => {
  const passedOf = (rate: ReturnType<typeof createLogRate>, entries: number, nowMs: number): number =>
    Array.from({ length: entries }, () => rate.pass(nowMs)).filter((passed) => passed !== undefined).length;

  it('passes 50 entries at once, and five more for each second', () => {
    const rate = createLogRate();
    expect(passedOf(rate, 200, 0)).toBe(50);
    expect(passedOf(rate, 200, 1_000)).toBe(5);
    expect(passedOf(rate, 200, 1_000_000)).toBe(50);
  });

  it('returns the number of suppressed entries with the next passed entry', () => {
    const rate = createLogRate();
    expect(rate.pass(0)).toEqual({ keptBack: 0 });
    passedOf(rate, 60, 0);
    expect(rate.pass(1_000)).toEqual({ keptBack: 11 });
    expect(rate.pass(1_000)).toEqual({ keptBack: 0 });
  });

  it('adds no allowance when the clock is set back', () => {
    const rate = createLogRate();
    expect(passedOf(rate, 60, 10_000)).toBe(50);
    expect(rate.pass(0)).toBeUndefined();
  });
});
