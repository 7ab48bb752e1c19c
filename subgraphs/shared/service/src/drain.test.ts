import { describe, expect, it, jest } from '@jest/globals';
import { createDrain } from './drain.js';

describe('createDrain', () => {
  it('runs its steps when it begins, and later ones at once', async () => {
    const drain = createDrain();
    const steps: string[] = [];
    drain.onBegin(() => steps.push('early'));
    expect([drain.hasBegun, steps]).toEqual([false, []]);
    const over = drain.run();
    drain.onBegin(() => steps.push('late'));
    expect([drain.hasBegun, steps]).toEqual([true, ['early', 'late']]);
    await over;
  });

  it('waits only when the process has answered requests, and once', async () => {
    jest.useFakeTimers();
    try {
      const drain = createDrain();
      drain.open(5_000);
      let over = false;
      const first = drain.run().then(() => {
        over = true;
      });
      const second = drain.run();
      await jest.advanceTimersByTimeAsync(4_999);
      expect(over).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      await Promise.all([first, second]);
      expect(over).toBe(true);
    } finally {
      jest.useRealTimers();
    }
    await createDrain().run();
  });
});
