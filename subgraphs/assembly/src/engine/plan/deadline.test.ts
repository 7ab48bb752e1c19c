import { describe, expect, it } from '@jest/globals';
import { createDeadline } from './deadline.js';

describe('a deadline', () => {
  it('returns the result of work that ends in time', async () => {
    await expect(createDeadline(10_000).within(Promise.resolve('done'))).resolves.toBe('done');
  });

  it('stops waiting for work that does not end in time', async () => {
    const work = new Promise<never>(() => undefined);
    await expect(createDeadline(20).within(work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('counts from its start, and never below zero', () => {
    let now = 100;
    const deadline = createDeadline(1_000, () => now);
    now = 700;
    expect(deadline.remainingMs()).toBe(400);
    now = 2_000;
    expect(deadline.remainingMs()).toBe(0);
  });
});
