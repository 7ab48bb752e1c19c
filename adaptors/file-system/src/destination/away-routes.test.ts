import { describe, expect, it } from '@jest/globals';
import { StorageFault } from '../storage/storage-fault.js';
import { createAwayRoutes } from './away-routes.js';

describe('a route to a target that is not available', () => {
  it('is tried by one event at a time after growing delays, and is reported with its first reason', async () => {
    let now = 0;
    let isAway = true;
    let attempts = 0;
    const told: string[] = [];
    const routes = createAwayRoutes(
      () => now,
      async (route, { message }) => void told.push(`${route} ${message}`),
      (route) => told.push(`${route} back`),
    );
    const attempt = (route = 'a'): Promise<string> =>
      routes.attempt(route, async () => {
        attempts += 1;
        if (isAway && route === 'a') throw new StorageFault('AWAY', `attempt ${attempts}`);
        return 'done';
      });
    const distances: number[] = [];
    for (let last = 0; distances.length < 10; now += 50) {
      const before = attempts;
      await expect(attempt()).rejects.toThrow('attempt');
      if (attempts === before) continue;
      distances.push(now - last);
      last = now;
    }
    expect(distances).toEqual([0, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
    expect(new Set(told)).toEqual(new Set(['a attempt 1']));
    expect(await attempt('b')).toBe('done');
    isAway = false;
    await expect(attempt()).rejects.toThrow('attempt 1');
    now += 30_000;
    expect(await attempt()).toBe('done');
    expect(told.at(-1)).toBe('a back');
  });

  it('stays open when a single file fails', async () => {
    const routes = createAwayRoutes(
      Date.now,
      () => Promise.reject(new Error('not away')),
      () => undefined,
    );
    const gone = new StorageFault('GONE', 'gone');
    await expect(routes.attempt('a', () => Promise.reject(gone))).rejects.toBe(gone);
    expect(await routes.attempt('a', () => Promise.resolve(1))).toBe(1);
  });
});
