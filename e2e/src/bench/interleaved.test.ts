import { describe, expect, it } from '@jest/globals';
import { compare, interleaved, perSecond } from './interleaved.js';

describe('interleaved', () => {
  it('runs both sides in turn and drops the warm-up', async () => {
    const order: string[] = [];
    let value = 0;
    const side = (name: string) => () => {
      order.push(name);
      value += 1;
      return Promise.resolve(value);
    };
    const rounds = await interleaved({ rounds: 2, subject: side('subject'), floor: side('floor') });
    expect(order).toEqual(['subject', 'floor', 'subject', 'floor', 'subject', 'floor']);
    expect(rounds).toEqual([
      { subject: 3, floor: 4 },
      { subject: 5, floor: 6 },
    ]);
  });

  it('starts no further round after its time budget, but always measures one round', async () => {
    let clockMs = 0;
    const slowly = () => {
      clockMs += 50;
      return Promise.resolve(clockMs);
    };
    const sides = { subject: slowly, floor: slowly, nowMs: () => clockMs };
    expect(await interleaved({ rounds: 9, budgetMs: 301, ...sides })).toHaveLength(3);
    expect(await interleaved({ rounds: 9, budgetMs: 1, ...sides })).toHaveLength(1);
  });

  it('stops at the first side that fails', async () => {
    const failing = interleaved({
      rounds: 3,
      subject: () => Promise.reject(new Error('a wrong body')),
      floor: () => Promise.resolve(1),
    });
    await expect(failing).rejects.toThrow('a wrong body');
  });
});

describe('perSecond', () => {
  it('divides the work by the elapsed time', async () => {
    let clockMs = 10_000;
    const trial = perSecond(
      () => {
        clockMs += 500;
        return Promise.resolve(100);
      },
      () => clockMs,
    );
    expect(await trial()).toBe(200);
  });
});

describe('compare', () => {
  it('computes the ratio of each round, then its median, minimum and maximum', () => {
    const rounds = [
      { subject: 50, floor: 100 },
      { subject: 90, floor: 100 },
      { subject: 30, floor: 50 },
    ];
    expect(compare(rounds)).toEqual({
      rounds: 3,
      subject: { median: 50, min: 30, max: 90 },
      floor: { median: 100, min: 50, max: 100 },
      ratio: { median: 0.6, min: 0.5, max: 0.9 },
    });
  });

  it('uses the mean of the two middle values for an even number of rounds', () => {
    const rounds = [1, 2, 3, 4].map((subject) => ({ subject, floor: 1 }));
    expect(compare(rounds).ratio).toEqual({ median: 2.5, min: 1, max: 4 });
  });

  it('refuses to compare without values', () => {
    expect(() => compare([])).toThrow(RangeError);
  });
});
