import { describe, expect, it } from '@jest/globals';
import { createDeferred } from '../deferred.js';
import { createKeyedTaskPool } from './create-keyed-task-pool.js';

describe('a pool of tasks with keys', () => {
  it('runs the tasks of a key in order, and no more tasks at once than its limit', async () => {
    const pool = createKeyedTaskPool(2);
    const log: string[] = [];
    let running = 0;
    let most = 0;
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) {
      pool.add(name.charAt(0), async () => {
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        log.push(name);
        running -= 1;
      });
    }
    await pool.halt();
    expect(log.filter((name) => name.startsWith('a'))).toEqual(['a1']);
    expect(most).toBe(2);
  });

  it('begins a task with several keys after the earlier tasks of each of them, and before the later ones', async () => {
    const pool = createKeyedTaskPool(4);
    const log: string[] = [];
    const gates = { a: createDeferred(), b: createDeferred() };
    const done = createDeferred();
    const add = (name: string, keys: readonly string[], gate?: Promise<void>): void =>
      pool.add(keys, async () => {
        log.push(`${name} begins`);
        await gate;
        log.push(`${name} ends`);
        if (name === 'later') done.resolve();
      });
    add('a', ['a'], gates.a.promise);
    add('b', ['b'], gates.b.promise);
    add('both', ['a', 'b']);
    add('later', ['b', 'c']);
    add('free', ['d']);
    gates.b.resolve();
    await new Promise(setImmediate);
    expect(log).toEqual(['a begins', 'b begins', 'free begins', 'free ends', 'b ends']);
    gates.a.resolve();
    await done.promise;
    expect(log.slice(5)).toEqual(['a ends', 'both begins', 'both ends', 'later begins', 'later ends']);
  });

  it('lets other tasks run while a task rests, and keeps the order of its key', async () => {
    const pool = createKeyedTaskPool(1);
    const log: string[] = [];
    const rest = createDeferred();
    const done = createDeferred();
    const others = createDeferred();
    pool.add('a', async (aside) => {
      log.push('a1 begins');
      await aside(() => rest.promise);
      log.push('a1 ends');
    });
    pool.add('a', async () => {
      log.push('a2');
      done.resolve();
    });
    pool.add('b', async () => void log.push('b1'));
    pool.add('c', async () => {
      log.push('c1');
      others.resolve();
    });
    await others.promise;
    expect(log).toEqual(['a1 begins', 'b1', 'c1']);
    rest.resolve();
    await done.promise;
    expect(log).toEqual(['a1 begins', 'b1', 'c1', 'a1 ends', 'a2']);
  });

  it('is halted only when the tasks that rest have ended', async () => {
    const pool = createKeyedTaskPool(1);
    const log: string[] = [];
    const rest = createDeferred();
    pool.add('a', async (aside) => {
      await aside(() => rest.promise);
      log.push('a1');
    });
    const halted = pool.halt().then(() => log.push('halted'));
    rest.resolve();
    await halted;
    expect(log).toEqual(['a1', 'halted']);
  });
});
