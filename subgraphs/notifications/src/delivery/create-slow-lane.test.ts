import { createLog } from '@fds/service';
import { describe, expect, it } from '@jest/globals';
import { createSlowLane } from './create-slow-lane.js';

const options = { places: 4, patienceMs: 60_000, shortPatienceMs: 1, slowReceivers: 8, log: createLog('silent') };

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
    const lane = createSlowLane({ ...options, slowReceivers: 1, patienceMs: 5 });
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

  it('is less patient with work that starts while more than half of the places are taken', async () => {
    const lane = createSlowLane(options);
    const [first, second, third] = [openWork(), openWork(), openWork()];
    const patient = [lane.run(first.work), lane.run(second.work)];
    await lane.run(third.work);
    const isFree = await Promise.race([...patient, Promise.resolve('taken')]);
    expect(isFree).toBe('taken');
    for (const work of [first, second, third]) work.end();
    await Promise.all(patient);
    await lane.settle();
  });

  it('frees the places of quick work', async () => {
    const lane = createSlowLane(options);
    for (let run = 0; run < 2 * options.places; run += 1) await lane.run(() => Promise.resolve());
    const work = openWork();
    const patient = lane.run(work.work);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const isFree = await Promise.race([patient, Promise.resolve('taken')]);
    expect(isFree).toBe('taken');
    work.end();
    await patient;
  });

  it('passes on the failure of quick work, and logs that of slow work', async () => {
    const lane = createSlowLane({ ...options, slowReceivers: 1, patienceMs: 5 });
    await expect(lane.run(() => Promise.reject(new Error('quick')))).rejects.toThrow('quick');
    const slow = openWork();
    await lane.run(slow.work);
    slow.fail(new Error('slow'));
    await lane.settle();
  });
});
