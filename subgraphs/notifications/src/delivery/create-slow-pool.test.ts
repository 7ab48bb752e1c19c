import { createLog } from '@fds/service';
import { describe, expect, it } from '@jest/globals';
import { createSlowPool } from './create-slow-pool.js';

const options = { places: 4, patienceMs: 60_000, shortPatienceMs: 1, slowReceivers: 8, log: createLog('silent') };

/** Work that ends when the test ends it. */
const openWork = () => {
  let end = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => promise, end: () => end(), fail: (error: Error) => fail(error) };
};

describe('the slow pool', () => {
  it('takes over slow work while it has places', async () => {
    const pool = createSlowPool({ ...options, slowReceivers: 1, patienceMs: 5 });
    const [first, second] = [openWork(), openWork()];
    await pool.run(first.work);
    const waiting = pool.run(second.work);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await pool.run(() => Promise.resolve());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    second.end();
    await waiting;
    first.end();
    await pool.settle();
  });

  it('waits less for work that starts while more than half of the places are taken', async () => {
    const pool = createSlowPool(options);
    const [first, second, third] = [openWork(), openWork(), openWork()];
    const patient = [pool.run(first.work), pool.run(second.work)];
    await pool.run(third.work);
    const isFree = await Promise.race([...patient, Promise.resolve('taken')]);
    expect(isFree).toBe('taken');
    for (const work of [first, second, third]) work.end();
    await Promise.all(patient);
    await pool.settle();
  });

  it('frees the places of quick work', async () => {
    const pool = createSlowPool(options);
    for (let run = 0; run < 2 * options.places; run += 1) await pool.run(() => Promise.resolve());
    const work = openWork();
    const patient = pool.run(work.work);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const isFree = await Promise.race([patient, Promise.resolve('taken')]);
    expect(isFree).toBe('taken');
    work.end();
    await patient;
  });

  it('passes on the failure of quick work, and logs that of slow work', async () => {
    const pool = createSlowPool({ ...options, slowReceivers: 1, patienceMs: 5 });
    await expect(pool.run(() => Promise.reject(new Error('quick')))).rejects.toThrow('quick');
    const slow = openWork();
    await pool.run(slow.work);
    slow.fail(new Error('slow'));
    await pool.settle();
  });
});
