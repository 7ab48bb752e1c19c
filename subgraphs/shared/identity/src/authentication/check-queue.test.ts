import { describe, expect, it } from '@jest/globals';
import { createCheckQueue } from './check-queue.js';

const open = (options: Partial<Parameters<typeof createCheckQueue>[0]> = {}) => {
  let exceeded = 0;
  const queue = createCheckQueue({
    maxRunning: 1,
    maxWaiting: 10,
    maxWaitingOfAddress: 5,
    onExceeded: () => (exceeded += 1),
    ...options,
  });
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const check = (address: string, name: string): Promise<void> =>
    queue.run(address, () => {
      order.push(name);
      return new Promise((end) => ends.push(end));
    });
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { queue, order, check, endNext, exceeded: () => exceeded };
};

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: { readonly code?: unknown }) => error.code,
  );

describe('the queue of password checks', () => {
  it('runs so many at the same time, and lets addresses take turns', async () => {
    const { order, check, endNext } = open({ maxRunning: 2 });
    const all = ['1', '2', '3', '4', '5'].map((name) => check('busy', name));
    all.push(check('quiet', 'first of another'));
    await new Promise(setImmediate);
    expect(order).toEqual(['1', '2']);
    for (let time = 0; time < 6; time += 1) await endNext();
    await Promise.all(all);
    expect(order).toEqual(['1', '2', '3', 'first of another', '4', '5']);
  });

  it('refuses checks beyond the share of an address, and beyond the bound of all', async () => {
    const { check, endNext, exceeded } = open({ maxWaiting: 3, maxWaitingOfAddress: 2 });
    const running = [check('a', '0'), check('a', '1'), check('a', '2')];
    expect(await codeOf(check('a', '3'))).toBe('RATE_LIMITED');
    running.push(check('b', '4'));
    expect(await codeOf(check('c', '5'))).toBe('RATE_LIMITED');
    expect(exceeded()).toBe(2);
    for (let time = 0; time < 4; time += 1) await endNext();
    await Promise.all(running);
  });

  it('lets others pass by in their turn, without waiting for them', async () => {
    const { queue, order, check, endNext } = open();
    const first = check('a', 'first');
    const passing = ['a', 'b', 'c'].map(async (address) => {
      await queue.passBy(address);
      order.push(`passed ${address}`);
    });
    const second = check('a', 'second');
    await new Promise(setImmediate);
    expect(order).toEqual(['first']);
    await endNext();
    // the second check still runs
    expect(order.toSorted()).toEqual(['first', 'passed a', 'passed b', 'passed c', 'second']);
    await endNext();
    await Promise.all([first, second, ...passing]);
  });

  it('continues after a check that fails', async () => {
    const { queue } = open();
    expect(await codeOf(queue.run('a', () => Promise.reject(Object.assign(new Error('no'), { code: 'X' }))))).toBe('X');
    expect(await queue.run('a', () => Promise.resolve(7))).toBe(7);
  });
});
