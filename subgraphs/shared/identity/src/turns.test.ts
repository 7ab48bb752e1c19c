import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createTurns } from './turns.js';

it('runs the work of one key in order, whatever the work before came to, and of others at once', async () => {
  const turns = createTurns();
  const seen: string[] = [];
  const work = (name: string, fails = '') =>
    turns.take(name.slice(0, 1), async () => {
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
