import { describe, expect, it } from '@jest/globals';
import { createQueues } from './create-queues.js';

describe('queues', () => {
  it('keep the order of a key although later work would be done sooner', async () => {
    const queues = createQueues();
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

  it('go on after a failure and are idle when all is done', async () => {
    const queues = createQueues();
    const failing = queues.run('a', () => Promise.reject(new Error('no')));
    const following = queues.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    await expect(following).resolves.toBe('yes');
    await expect(queues.idle()).resolves.toBeUndefined();
  });
});
