import { describe, expect, it } from '@jest/globals';
import type { Pgoutput } from 'pg-logical-replication';
import { addMessage } from './add-message.js';
import { createChangedKeys } from './changed-keys.js';
import { laterLsn } from './lsn.js';

const message = (content: object): Pgoutput.Message => content as Pgoutput.Message;
const begin = (xid: number): Pgoutput.Message => message({ tag: 'begin', xid });
const commit = (lsn: string): Pgoutput.Message => message({ tag: 'commit', commitEndLsn: lsn, commitLsn: null });
const collect = (keyColumns: readonly string[]) => {
  const changes = createChangedKeys<number, string>();
  return { changes, add: (one: Pgoutput.Message) => addMessage(changes, keyColumns, one) };
};
const insert = (id: string): Pgoutput.Message => message({ tag: 'insert', new: { id, other: 1 } });

describe('the keys that the log names', () => {
  it('are returned once each, with a position only when no key before it is waiting', () => {
    const { changes, add } = collect(['id']);
    for (const one of [begin(7), insert('1'), insert('2'), insert('1'), insert('3'), commit('0/10')]) add(one);
    expect(changes.take(2)).toEqual({
      keys: [['1'], ['2']],
      hasUnknown: false,
      transactions: new Set([7]),
      committed: undefined,
    });
    add(begin(8));
    add(insert('4'));
    expect(changes.isWithinTransaction).toBe(true);
    expect(changes.take(10)).toEqual({
      keys: [['3'], ['4']],
      hasUnknown: false,
      transactions: new Set([8]),
      committed: '0/10',
    });
    add(commit('0/20'));
    expect(changes.take(10)).toMatchObject({ keys: [], hasUnknown: false, committed: '0/20' });
    expect(changes.isEmpty).toBe(true);
  });

  it('wait for their transaction, also if others were taken between its beginning and its first row', () => {
    const { changes, add } = collect(['id']);
    for (const one of [begin(7), insert('1'), commit('0/10'), begin(8)]) add(one);
    changes.take(10);
    add(insert('2'));
    expect(changes.take(10)).toMatchObject({ keys: [['2']], transactions: new Set([8]) });
    add(insert('3'));
    add(commit('0/20'));
    expect(changes.take(10)).toMatchObject({ keys: [['3']], transactions: new Set([8]), committed: '0/20' });
    expect(changes.size).toBe(0);
  });

  it('are the old and the new key when a key changes', () => {
    const { changes, add } = collect(['a', 'b']);
    add(message({ tag: 'update', key: { a: 'x', b: 1 }, old: null, new: { a: 'y', b: 1, c: 2 } }));
    add(message({ tag: 'delete', key: null, old: { a: 'z', b: 2 } }));
    add(message({ tag: 'truncate' }));
    expect(changes.take(10)).toMatchObject({
      hasUnknown: true,
      keys: [
        ['x', 1],
        ['y', 1],
        ['z', 2],
      ],
    });
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
