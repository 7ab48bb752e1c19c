import { describe, expect, it } from '@jest/globals';
import { createChangedKeys } from './changed-keys.js';
import { laterLsn } from './lsn.js';

const collect = () => createChangedKeys<number, string>();

describe('the keys that the log names', () => {
  it('are returned once each, with a position only when no key before it is waiting', () => {
    const changes = collect();
    changes.begin(7);
    for (const id of ['1', '2', '1', '3']) changes.addKey([id]);
    changes.commit('0/10');
    expect(changes.take(2)).toEqual({
      keys: [['1'], ['2']],
      hasUnknown: false,
      transactions: new Set([7]),
      committed: undefined,
    });
    changes.begin(8);
    changes.addKey(['4']);
    expect(changes.isWithinTransaction).toBe(true);
    expect(changes.take(10)).toEqual({
      keys: [['3'], ['4']],
      hasUnknown: false,
      transactions: new Set([8]),
      committed: '0/10',
    });
    changes.commit('0/20');
    expect([changes.hasRows, changes.isEmpty]).toEqual([false, false]);
    expect(changes.take(10)).toEqual({ keys: [], hasUnknown: false, transactions: new Set(), committed: '0/20' });
    expect(changes.isEmpty).toBe(true);
  });

  it('wait for their transaction, also if others were taken between its beginning and its first row', () => {
    const changes = collect();
    changes.begin(7);
    changes.addKey(['1']);
    changes.commit('0/10');
    changes.begin(8);
    changes.take(10);
    changes.addKey(['2']);
    expect(changes.take(10)).toMatchObject({ keys: [['2']], transactions: new Set([8]) });
    changes.addKey(['3']);
    changes.addUnknown();
    changes.commit('0/20');
    expect(changes.take(10)).toMatchObject({
      keys: [['3']],
      hasUnknown: true,
      transactions: new Set([8]),
      committed: '0/20',
    });
    expect(changes.size).toBe(0);
  });

  it('do not wait for transactions without them', () => {
    const changes = collect();
    for (let transaction = 1; transaction <= 1_000; transaction += 1) {
      changes.begin(transaction);
      changes.commit(`0/${transaction}`);
    }
    expect(changes.size).toBe(0);
    expect(changes.take(10)).toMatchObject({ transactions: new Set(), committed: '0/1000' });
  });
});

describe('the memory of the keys', () => {
  it('is counted in bytes until the keys are taken', () => {
    const changes = createChangedKeys<number, string>();
    for (let id = 0; id < 100; id += 1) changes.addKey([`${'k'.repeat(100_000)}${id}`]);
    const { bytes } = changes;
    expect(bytes).toBeGreaterThan(100 * 100_000 * 4);
    // a key that changes again takes no more memory
    changes.addKey([`${'k'.repeat(100_000)}7`]);
    expect(changes.bytes).toBe(bytes);
    changes.take(50);
    expect(changes.bytes).toBeGreaterThan(bytes * 0.49);
    expect(changes.bytes).toBeLessThan(bytes * 0.51);
    changes.take(50);
    expect(changes.bytes).toBe(0);
  });
});

describe('laterLsn', () => {
  it.each([
    ['0/FF', '0/100', '0/100'],
    ['1/0', '0/FFFFFFFF', '1/0'],
    ['16/B374D848', '16/B374D848', '16/B374D848'],
  ])('is the later of %s and %s: %s', (one, other, later) => {
    expect(laterLsn(one, other)).toBe(later);
  });
});
