import { createLog } from '@fds/service';
import { describe, expect, it } from '@jest/globals';
import { openKeyRotation } from './open-key-rotation.js';

describe('openKeyRotation', () => {
  it('asks again and again, one at a time, whatever fails, until it is closed', async () => {
    const asked: number[] = [];
    let active = 0;
    let reached: (() => void) | undefined;
    const thrice = new Promise<void>((resolve) => (reached = resolve));
    const rotation = openKeyRotation({
      authorizationServer: {
        rotateKeys: async (maxAgeMs) => {
          active += 1;
          expect(active).toBe(1);
          asked.push(maxAgeMs);
          await new Promise(setImmediate);
          active -= 1;
          if (asked.length === 1) throw new Error('the database is away');
          if (asked.length === 3) reached?.();
          return asked.length === 2;
        },
      },
      maxAgeMs: 86_400_000,
      intervalMs: 1,
      log: createLog('silent'),
    });
    // the timer keeps no process alive
    const alive = setInterval(() => undefined, 1_000);
    await thrice;
    await rotation.close();
    clearInterval(alive);
    const { length } = asked;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toHaveLength(length);
    expect(new Set(asked)).toEqual(new Set([86_400_000]));
  });
});
