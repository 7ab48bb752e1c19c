import { createLog } from '@fds/service';
import { describe, expect, it } from '@jest/globals';
import { createSlowLane } from './create-slow-lane.js';

const log = createLog('silent');

/** Work that ends when it is told to. */
const openWork = () => {
  let end = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => promise, end: () => end(), fail: (error: Error) => fail(error) };
};

describe('the slow lane', () => {
  it('takes over work that is slow, as far as it has places', async () => {
    const lane = createSlowLane({ slowReceivers: 1, patienceMs: 5, log });
    const [first, second] = [openWork(), openWork()];
    await lane.run(first.work);
    const waiting = lane.run(second.work);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await lane.run(() => Promise.resolve());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    second.end();
    await waiting;
    first.end();
    await lane.settle();
  });

  it('passes on the failure of quick work, and logs that of slow work', async () => {
    const lane = createSlowLane({ slowReceivers: 1, patienceMs: 5, log });
    await expect(lane.run(() => Promise.reject(new Error('quick')))).rejects.toThrow('quick');
    const slow = openWork();
    await lane.run(slow.work);
    slow.fail(new Error('slow'));
    await lane.settle();
  });
});
