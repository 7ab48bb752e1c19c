import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapInTurn } from './map-in-turn.js';

describe('mapInTurn', () => {
  it('keeps the order of the items, and works on at most the given number at once', async () => {
    let [now, most] = [0, 0];
    const results = await mapInTurn([5, 1, 4, 2, 3], 2, async (turns) => {
      now += 1;
      most = Math.max(most, now);
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      now -= 1;
      return turns * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });

  it('starts no item after a failure', async () => {
    const begun: number[] = [];
    const working = mapInTurn([1, 2, 3, 4], 1, (item) => {
      begun.push(item);
      return item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item);
    });
    await expect(working).rejects.toThrow('two');
    expect(begun).toEqual([1, 2]);
  });

  it('returns no results for no items', async () => {
    expect(await mapInTurn([], 4, () => Promise.reject(new Error('never')))).toEqual([]);
  });
});
