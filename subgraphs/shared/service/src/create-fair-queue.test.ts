import { describe, expect, it } from '@jest/globals';
import { createFairQueue, QueueFull, type FairQueueOptions } from './create-fair-queue.js';

/** Notes each task of a queue when it starts. A task ends when the test calls `end`. */
const openQueue = (options: Partial<FairQueueOptions> = {}) => {
  const queue = createFairQueue({
    places: 3,
    placesPerCaller: 2,
    waitingPerCaller: 5,
    maxWaitMs: 60_000,
    ...options,
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (caller: string, task: string, signal?: AbortSignal): Promise<void> => {
    const served = queue.run(
      caller,
      () => {
        started.push(task);
        return new Promise<void>((resolve) => ends.set(task, resolve));
      },
      signal,
    );
    // some tests leave waiting tasks behind
    served.catch(() => undefined);
    return served;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (task: string): Promise<void> => {
    ends.get(task)?.();
    await settled();
  };
  return { run, started, end, settled };
};

describe('a fair queue', () => {
  it('gives a caller at most its share, and the rest to other callers', async () => {
    const { run, started, settled } = openQueue();
    const running = ['a1', 'a2', 'a3', 'a4'].map((task) => run('a', task));
    await settled();
    expect(started).toEqual(['a1', 'a2']);
    running.push(run('b', 'b1'));
    await settled();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    expect(running).toHaveLength(5);
  });

  it('lets waiting callers take turns', async () => {
    const { run, started, end, settled } = openQueue({ places: 1 });
    void run('a', 'a1');
    for (const task of ['a2', 'a3', 'a4']) void run('a', task);
    void run('b', 'b1');
    void run('c', 'c1');
    await settled();
    for (const task of ['a1', 'a2', 'b1', 'c1']) await end(task);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('refuses a caller with too many waiting tasks, and no other caller', async () => {
    const { run, started, settled } = openQueue({ places: 2, placesPerCaller: 1, waitingPerCaller: 1 });
    void run('a', 'a1');
    void run('a', 'a2');
    await expect(run('a', 'a3')).rejects.toBeInstanceOf(QueueFull);
    void run('b', 'b1');
    await settled();
    expect(started).toEqual(['a1', 'b1']);
  });

  it('ends a wait that takes too long', async () => {
    const { run } = openQueue({ places: 1, maxWaitMs: 10 });
    void run('a', 'a1');
    await expect(run('b', 'b1')).rejects.toBeInstanceOf(QueueFull);
  });

  it('forgets a task whose caller has gone', async () => {
    const { run, started, end, settled } = openQueue({ places: 1 });
    const gone = new AbortController();
    void run('a', 'a1');
    const waiting = run('b', 'b1', gone.signal);
    void run('c', 'c1');
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await settled();
    await end('a1');
    expect(started).toEqual(['a1', 'c1']);
    await expect(run('b', 'b2', gone.signal)).rejects.toThrow('gone');
  });

  it('frees the place of a task that fails', async () => {
    const queue = createFairQueue({ places: 1, placesPerCaller: 1, waitingPerCaller: 1, maxWaitMs: 60_000 });
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await queue.run('a', async () => 'served')).toBe('served');
  });
});
