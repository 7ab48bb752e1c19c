import { describe, expect, it } from '@jest/globals';
import { once } from './once.js';

const counting = <Value>(values: readonly Value[]) => {
  let calls = 0;
  const make = once(() => values[calls++] as Value);
  return { make, calls: () => calls };
};

describe('once', () => {
  it('makes nothing before the first call', () => {
    const { make, calls } = counting([{}]);
    expect(calls()).toBe(0);
    make();
    expect(calls()).toBe(1);
  });

  it.each([[{}], [undefined], [null], [false], [0]])('makes %p at the first call only', (value) => {
    const { make, calls } = counting<unknown>([value, 'made again']);
    expect([make(), make()]).toEqual([value, value]);
    expect(calls()).toBe(1);
  });

  it('makes the value again after a call that threw', () => {
    let calls = 0;
    const make = once(() => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
      return calls;
    });
    expect(make).toThrow('not yet');
    expect([make(), make()]).toEqual([2, 2]);
  });
});
