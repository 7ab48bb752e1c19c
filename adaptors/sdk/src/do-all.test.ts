import { describe, expect, it } from '@jest/globals';
import { doAll } from './do-all.js';

describe('doAll', () => {
  const taken: string[] = [];
  const step = (name: string, failure?: Error) => async (): Promise<void> => {
    await Promise.resolve();
    taken.push(name);
    if (failure !== undefined) throw failure;
  };

  it('runs the steps after a failed step, in order, and reports the failure', async () => {
    const failure = new Error('the disk is full');
    await expect(doAll([step('one'), step('two', failure), () => void taken.push('three')])).rejects.toBe(failure);
    expect(taken).toEqual(['one', 'two', 'three']);
  });

  it('reports all failures', async () => {
    const failures = [new Error('first'), new Error('second')];
    await expect(doAll(failures.map((failure) => step('x', failure)))).rejects.toMatchObject({ errors: failures });
  });
});
