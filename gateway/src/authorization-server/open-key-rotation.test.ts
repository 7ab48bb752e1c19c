import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { openKeyRotation } from './open-key-rotation.js';

const open = (rotateKeys: (maxAgeMs: number) => Promise<boolean>) =>
  openKeyRotation({
    authorizationServer: { rotateKeys },
    maxAgeMs: 86_400_000,
    intervalMs: 1,
    log: createLog('silent'),
  });

describe('openKeyRotation', () => {
  it('checks at intervals, one check at a time, also after failures, until it is closed', async () => {
    const asked: number[] = [];
    let active = 0;
    const rotation = open(async (maxAgeMs) => {
      active += 1;
      expect(active).toBe(1);
      asked.push(maxAgeMs);
      await new Promise(setImmediate);
      active -= 1;
      if (asked.length === 1) throw new Error('the database is away');
      return asked.length === 2;
    });
    await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(3), { intervalMs: 1 });
    await rotation.close();
    const { length } = asked;
    // an open window reports how long to look
    let others = 0;
    const other = open(async () => {
      others += 1;
      return false;
    });
    await eventually(() => expect(others).toBeGreaterThanOrEqual(3), { intervalMs: 1 });
    await other.close();
    expect(asked).toHaveLength(length);
    expect(new Set(asked)).toEqual(new Set([86_400_000]));
  });
});
