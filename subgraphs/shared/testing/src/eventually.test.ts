import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('looks until the check passes, and gives its result', async () => {
    let looks = 0;
    const check = async (): Promise<number> => {
      looks += 1;
      if (looks < 3) throw new Error('not yet');
      return looks;
    };
    await expect(eventually(check, { intervalMs: 1 })).resolves.toBe(3);
  });

  it('tells the last failure when the deadline passes', async () => {
    let looks = 0;
    const check = (): never => {
      looks += 1;
      throw new Error(`failure ${looks}`);
    };
    const failing = eventually(check, { deadlineMs: 20, intervalMs: 1 });
    await expect(failing).rejects.toThrow(/^failure \d+$/);
    await expect(failing).rejects.toThrow(`failure ${looks}`);
    expect(looks).toBeGreaterThan(1);
  });
});
