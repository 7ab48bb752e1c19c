import { createRandom } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import type { Contact } from './contact-database.js';
import { inventedValues, isReplacedAtHome, isShortLived, unseenEffects, type MadeEdit } from './edit-history.js';
import { planHistories } from './plan-histories.js';

const first: Contact = { a: 'a1', b: 'b1', c: 'c1', n: '1' };
const update = (atMs: number, database: number, values: MadeEdit['values'], before: Partial<Contact>): MadeEdit => ({
  atMs,
  database,
  kind: 'UPDATE',
  values,
  before: { ...first, ...before },
});
const names = (edits: readonly MadeEdit[], final: Contact | undefined): readonly string[] =>
  unseenEffects(edits, final).map(({ edit, property }) => `${edit.database}:${property ?? 'DELETE'}`);

describe('the history of a record', () => {
  it('finds the edit of another property that went with a whole row', () => {
    const edits = [update(0, 0, { a: 'a2' }, {}), update(100, 1, { b: 'b2' }, {})];
    expect(names(edits, { ...first, a: 'a2', b: 'b2' })).toEqual([]);
    expect(names(edits, { ...first, a: 'a2' })).toEqual(['1:b']);
    expect(names(edits, { ...first, b: 'b2' })).toEqual(['0:a']);
  });

  it('takes an edit for replaced only by a user who had seen it', () => {
    const seen = [update(0, 0, { a: 'a2' }, {}), update(100, 1, { a: 'a3' }, { a: 'a2' })];
    const unseen = [update(0, 0, { a: 'a2' }, {}), update(100, 1, { a: 'a3' }, {})];
    expect(names(seen, { ...first, a: 'a3' })).toEqual([]);
    expect(names(unseen, { ...first, a: 'a3' })).toEqual(['0:a']);
  });

  it('takes an edit for deleted only by a user who had seen it, and a deletion for undone only by an insert', () => {
    const change = update(0, 0, { a: 'a2' }, {});
    const deletion = (before: Contact): MadeEdit => ({ atMs: 100, database: 1, kind: 'DELETE', values: {}, before });
    const insert: MadeEdit = { atMs: 200, database: 0, kind: 'INSERT', values: { a: 'a9' }, before: undefined };
    expect(names([change, deletion({ ...first, a: 'a2' })], undefined)).toEqual([]);
    expect(names([change, deletion(first)], undefined)).toEqual(['0:a']);
    expect(names([change, deletion(first)], { ...first, a: 'a2' })).toEqual(['1:DELETE']);
    expect(names([deletion(first), insert], { ...first, a: 'a9' })).toEqual([]);
    const unseen = { ...insert, atMs: 50, values: { a: 'a9', b: 'b9', c: 'c9', n: '9' } };
    expect(names([unseen, deletion(first)], { a: 'a9', b: 'b9', c: 'c9', n: '9' })).toEqual([]);
    const seen = deletion({ ...first, b: 'b9' });
    expect(names([unseen, seen], { a: 'a9', b: 'b9', c: 'c9', n: '9' })).toEqual(['1:DELETE']);
  });

  it('takes an edit for replaced by a later one in the same database', () => {
    const edit = update(0, 0, { a: 'a2' }, {});
    const effect = { edit, property: 'a' } as const;
    expect(isReplacedAtHome([edit, update(9, 0, { a: 'a3' }, {})], effect)).toBe(true);
    expect(isReplacedAtHome([edit, update(9, 1, { a: 'a3' }, {})], effect)).toBe(false);
    expect(isReplacedAtHome([edit, update(9, 0, { b: 'b3' }, {})], effect)).toBe(false);
  });

  it('excuses the deletion of a row that no scan saw', () => {
    const values = { a: 'a9', b: 'b9', c: 'c9', n: '9' };
    const insert: MadeEdit = { atMs: 0, database: 0, kind: 'INSERT', values, before: undefined };
    const deletion: MadeEdit = { atMs: 50, database: 0, kind: 'DELETE', values: {}, before: values };
    expect(isShortLived([insert, deletion], deletion, () => false)).toBe(true);
    expect(isShortLived([insert, deletion], deletion, (name) => name === 'a')).toBe(false);
    expect(isShortLived([{ ...insert, database: 1 }, deletion], deletion, () => false)).toBe(false);
  });

  it('finds a value that no edit has set', () => {
    const edits = [update(0, 0, { a: 'a2' }, {})];
    expect(inventedValues(edits, first, { ...first, a: 'a2' })).toEqual([]);
    expect(inventedValues(edits, first, { ...first, a: 'A2', c: null })).toEqual(['a']);
  });
});

describe('random histories', () => {
  it('are repeated by their seed, within their databases and in the order of their times', () => {
    const plan = (seed: number) => planHistories(createRandom(seed), { records: 50, databases: 3, windowMs: 1_000 });
    expect(plan(1)).toEqual(plan(1));
    expect(plan(1)).not.toEqual(plan(2));
    const edits = plan(1).flatMap((history) => history.edits);
    expect(new Set(edits.map(({ database }) => database))).toEqual(new Set([0, 1, 2]));
    expect(new Set(edits.map(({ kind }) => kind))).toEqual(new Set(['UPDATE', 'INSERT', 'DELETE']));
    for (const { edits: ofRecord } of plan(1)) {
      const times = ofRecord.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    }
  });
});
