import { describe, expect, it } from '@jest/globals';
import { createGiveWay, inTurns } from './create-give-way.js';

describe('work in turns', () => {
  it('lets other work run once it has used 15 ms, and gives up no turn before', async () => {
    let nowMs = 0;
    const giveWay = createGiveWay(() => nowMs);
    nowMs = 14;
    expect(giveWay()).toBeUndefined();
    nowMs = 15;
    let others = 0;
    setImmediate(() => {
      others += 1;
    });
    await giveWay();
    expect(others).toBe(1);
    expect(giveWay()).toBeUndefined();
  });

  it('takes every step, and answers the result', async () => {
    let nowMs = 0;
    let others = 0;
    let isDone = false;
    const count = (): void => {
      others += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const steps = function* (): Generator<void, string> {
      for (let step = 0; step < 20; step += 1) {
        nowMs += 8;
        yield;
      }
      return 'done';
    };
    const result = await inTurns(
      steps(),
      createGiveWay(() => nowMs),
    );
    isDone = true;
    expect(result).toBe('done');
    // 160 ms of work in pieces of 16 ms
    expect(others).toBeGreaterThanOrEqual(9);
  });
});
