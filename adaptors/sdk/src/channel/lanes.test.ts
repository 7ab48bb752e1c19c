import { describe, expect, it } from '@jest/globals';
import { createDeferred } from '../deferred.js';
import { createLanes } from './lanes.js';

describe('lanes', () => {
  it('run the tasks of a key in order, and at most so many in all', async () => {
    const lanes = createLanes(2);
    const log: string[] = [];
    let running = 0;
    let most = 0;
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) {
      lanes.add(name.charAt(0), async () => {
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        log.push(name);
        running -= 1;
      });
    }
    await lanes.halt();
    expect(log.filter((name) => name.startsWith('a'))).toEqual(['a1']);
    expect(most).toBe(2);
  });

  it('let others run while a task rests, and keep the order of its key', async () => {
    const lanes = createLanes(1);
    const log: string[] = [];
    const rest = createDeferred();
    const done = createDeferred();
    const others = createDeferred();
    lanes.add('a', async (aside) => {
      log.push('a1 begins');
      await aside(() => rest.promise);
      log.push('a1 ends');
    });
    lanes.add('a', async () => {
      log.push('a2');
      done.resolve();
    });
    lanes.add('b', async () => void log.push('b1'));
    lanes.add('c', async () => {
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
    const lanes = createLanes(1);
    const log: string[] = [];
    const rest = createDeferred();
    lanes.add('a', async (aside) => {
      await aside(() => rest.promise);
      log.push('a1');
    });
    const halted = lanes.halt().then(() => log.push('halted'));
    rest.resolve();
    await halted;
    expect(log).toEqual(['a1', 'halted']);
  });
});
