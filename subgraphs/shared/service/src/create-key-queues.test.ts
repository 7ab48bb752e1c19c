import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createKeyQueues } from './create-key-queues.js';

describe('key queues', () => {
  it('begin at once when they are free', () => {
    const queues = createKeyQueues();
    const begun: string[] = [];
    void queues.run('a', () => void begun.push('a1'));
    void queues.run('a', () => void begun.push('a2'));
    void queues.run('b', () => void begun.push('b1'));
    expect(begun).toEqual(['a1', 'b1']);
  });

  it('keep the order of a key although later work would be done sooner', async () => {
    const queues = createKeyQueues();
    const done: string[] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = queues.run('a', async () => {
      await held;
      done.push('a1');
    });
    const second = queues.run('a', async () => void done.push('a2'));
    await queues.run('b', async () => void done.push('b1'));
    release();
    await Promise.all([first, second]);
    expect(done).toEqual(['b1', 'a1', 'a2']);
  });

  it('begin a task after the one before has ended, with any result', async () => {
    const queues = createKeyQueues();
    const seen: string[] = [];
    const work = (name: string, fails = '') =>
      queues.run(name.slice(0, 1), async () => {
        seen.push(`${name} starts`);
        await turnOfEventLoop();
        seen.push(`${name} ends`);
        if (fails !== '') throw new Error(fails);
        return name;
      });
    const results = await Promise.allSettled([work('a1', 'broken'), work('a2'), work('b1')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(seen.filter((text) => text.startsWith('a'))).toEqual(['a1 starts', 'a1 ends', 'a2 starts', 'a2 ends']);
    expect(seen.indexOf('b1 starts')).toBeLessThan(seen.indexOf('a2 starts'));
  });

  it('settle when all tasks are done, failed ones included', async () => {
    const queues = createKeyQueues();
    const seen: string[] = [];
    const failing = queues.run('a', () => Promise.reject(new Error('no')));
    const following = queues.run('a', async () => {
      await turnOfEventLoop();
      seen.push('done');
      return 'yes';
    });
    const settling = queues.settle().then(() => seen.push('settled'));
    await expect(failing).rejects.toThrow('no');
    await expect(following).resolves.toBe('yes');
    await settling;
    expect(seen).toEqual(['done', 'settled']);
  });
});
