import { describe, expect, it } from '@jest/globals';
import { createLeftovers } from './leftovers.js';

describe('leftovers', () => {
  it('are ended in reverse order, once', async () => {
    const leftovers = createLeftovers();
    const ended: string[] = [];
    leftovers.add(() => void ended.push('first'));
    leftovers.add(async () => void ended.push('second'));
    await leftovers.dispose();
    await leftovers.dispose();
    expect(ended).toEqual(['second', 'first']);
  });

  it('are all ended even if one of them fails, and the failure is reported', async () => {
    const leftovers = createLeftovers();
    const ended: string[] = [];
    leftovers.add(() => void ended.push('first'));
    leftovers.add(() => {
      throw new Error('the second');
    });
    leftovers.add(() => Promise.reject(new Error('the third')));
    await expect(leftovers.dispose()).rejects.toThrow('the third\nError: the second');
    expect(ended).toEqual(['first']);
  });
});
