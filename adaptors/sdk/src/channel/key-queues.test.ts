import { describe, expect, it } from '@jest/globals';
import { createDeferred } from '../deferred.js';
import { createKeyQueues } from './key-queues.js';

describe('key queues', () => {
  it('run the tasks of a key in order, and at most so many in all', async () => {
    const queues = createKeyQueues(2);
    const log: string[] = [];
    let running = 0;
    let most = 0;
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) {
      queues.add(name.charAt(0), async () => {
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        log.push(name);
        running -= 1;
      });
    }
    await queues.halt();
    expect(log.filter((name) => name.startsWith('a'))).toEqual(['a1']);
    expect(most).toBe(2);
  });

  it('let others run while a task rests, and keep the order of its key', async () => {
    const queues = createKeyQueues(1);
    const log: string[] = [];
    const rest = createDeferred();
    const done = createDeferred();
    const others = createDeferred();
    queues.add('a', async (aside) => {
      log.push('a1 begins');
      await aside(() => rest.promise);
      log.push('a1 ends');
    });
    queues.add('a', async () => {
      log.push('a2');
      done.resolve();
    });
    queues.add('b', async () => void log.push('b1'));
    queues.add('c', async () => {
      log.push('c1');
      others.resolve();
    });
    await others.promise;
    expect(log).toEqual(['a1 begins', 'b1', 'c1']);
    rest.resolve();
    await done.promise;
    expect(log).toEqual(['a1 begins', 'b1', 'c1', 'a1 ends', 'a2']);
  });

  it('end only when tasks that rest have ended', async () => {
    const queues = createKeyQueues(1);
    const log: string[] = [];
    const rest = createDeferred();
    queues.add('a', async (aside) => {
      await aside(() => rest.promise);
      log.push('a1');
    });
    const halted = queues.halt().then(() => log.push('halted'));
    rest.resolve();
    await halted;
    expect(log).toEqual(['a1', 'halted']);
  });
});
