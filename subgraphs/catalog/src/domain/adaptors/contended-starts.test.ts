import { describe, expect, it } from '@jest/globals';
import { contentionOf, noStarts, notedStart } from './contended-starts.js';

const startsAt = (...times: readonly number[]) => times.reduce(notedStart, noStarts);

describe('the starts of processes without a name', () => {
  it('are contended when six of them occur within a minute', () => {
    const starts = startsAt(0, 10_000, 20_000, 30_000, 40_000, 60_000);
    expect(contentionOf(starts, 60_000)).toBe(
      'two processes seem to use the same credentials: 6 starts within a minute, the last one at 1970-01-01T00:01:00.000Z',
    );
    expect(contentionOf(starts, 120_000)).toBeDefined();
  });

  it.each([
    ['five in a second', [0, 200, 400, 600, 800], 800],
    ['six in more than a minute', [0, 10_000, 20_000, 30_000, 40_000, 60_001], 60_001],
    ['six, the last one more than a minute ago', [0, 1, 2, 3, 4, 5], 60_006],
  ])('are not contended when there are %s', (_, times, now) => {
    expect(contentionOf(startsAt(...times), now)).toBeUndefined();
  });

  it('are stored in a bounded number', () => {
    expect(startsAt(...Array.from({ length: 1_000 }, (__, n) => n)).times).toHaveLength(6);
  });
});
