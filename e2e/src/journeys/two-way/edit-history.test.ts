import { createRandom } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import type { Contact } from './contact-database.js';
import { judgeHistory, type MadeEdit, type RecordEvidence } from './edit-history.js';
import { planHistories } from './plan-histories.js';

const first: Contact = { a: 'a1', b: 'b1', c: 'c1', n: '1' };
const inserted: MadeEdit = {
  atMs: -1,
  database: 0,
  kind: 'INSERT',
  values: { a: 'a1', b: 'b1', c: 'c1', n: '1' },
  before: undefined,
};
const update = (
  atMs: number,
  database: number,
  values: MadeEdit['values'],
  before: Partial<Contact> = {},
): MadeEdit => ({
  atMs,
  database,
  kind: 'UPDATE',
  values,
  before: { ...first, ...before },
});
const remove = (atMs: number, database: number, before: Partial<Contact> = {}): MadeEdit => ({
  atMs,
  database,
  kind: 'DELETE',
  values: {},
  before: { ...first, ...before },
});
const other = { a: 'a9', b: 'b9', c: 'c9', n: '9' };
const insert = (atMs: number, database: number): MadeEdit => ({
  atMs,
  database,
  kind: 'INSERT',
  values: other,
  before: undefined,
});

/** Nothing was reported or sent, unless the case says otherwise. */
const faultsOf = (
  edits: readonly MadeEdit[],
  final: Contact | undefined,
  evidence: Partial<RecordEvidence> = {},
): readonly string[] =>
  judgeHistory([inserted, ...edits], final, {
    reportsOf: () => new Set(),
    deletionsOf: () => new Set(),
    isSentOn: () => false,
    isSentDeletion: () => false,
    isOverridden: () => false,
    ...evidence,
  }).faults;
/** Every edit was reported, and the service names it as overridden. */
const allNamed: Partial<RecordEvidence> = {
  reportsOf: () => new Set(['t']),
  deletionsOf: () => new Set(['t']),
  isOverridden: () => true,
};
const lost = (place: string): readonly unknown[] => [expect.stringContaining(`${place} ms is lost`)];

describe('the history of a record', () => {
  it('finds the edit of another property that went with a whole row', () => {
    const edits = [update(0, 0, { a: 'a2' }), update(100, 1, { b: 'b2' })];
    expect(faultsOf(edits, { ...first, a: 'a2', b: 'b2' })).toEqual([]);
    expect(faultsOf(edits, { ...first, a: 'a2' })).toEqual([expect.stringContaining('b of 1 at 100 ms is undone')]);
    expect(faultsOf(edits, { ...first, a: 'a2', b: null })).toEqual(lost('b of 1 at 100'));
  });

  it('takes an edit for replaced only by a user who had seen it and changed this property', () => {
    const end = { ...first, a: 'a3' };
    expect(faultsOf([update(0, 0, { a: 'a2' }), update(100, 1, { a: 'a3' }, { a: 'a2' })], end)).toEqual([]);
    expect(faultsOf([update(0, 0, { a: 'a2' }), update(100, 1, { a: 'a3' })], end)).toEqual(lost('a of 0 at 0'));
    const sawOnly = [update(0, 0, { a: 'a2' }), update(50, 2, { b: 'b2' }, { a: 'a2' }), update(100, 1, { a: 'a3' })];
    expect(faultsOf(sawOnly, { ...end, b: 'b2' })).toEqual(lost('a of 0 at 0'));
  });

  it('accepts an edit that the service names, unless the value that its user replaced is back', () => {
    const edits = [update(0, 0, { a: 'a2' }), update(100, 1, { a: 'a3' })];
    expect(faultsOf(edits, { ...first, a: 'a3' }, allNamed)).toEqual([]);
    expect(faultsOf([edits[0] as MadeEdit], first, allNamed)).toEqual([expect.stringContaining('is undone')]);
    const chain = [update(0, 0, { a: 'a2' }), update(100, 1, { a: 'a3' }, { a: 'a2' })];
    expect(faultsOf(chain, first, allNamed)).toHaveLength(2);
  });

  it('takes an edit for deleted only by a user who had seen it', () => {
    const change = update(0, 0, { a: 'a2' });
    expect(faultsOf([change, remove(100, 1, { a: 'a2' })], undefined)).toEqual([]);
    expect(faultsOf([change, remove(100, 1)], undefined)).toEqual(lost('a of 0 at 0'));
    expect(faultsOf([], undefined)).toHaveLength(4);
  });

  it('takes a deletion for done where the row is gone, or is another one', () => {
    expect(faultsOf([remove(0, 1)], undefined)).toEqual([]);
    expect(faultsOf([update(0, 0, { a: 'a2' }), remove(100, 1)], { ...first, a: 'a2' })).toEqual(
      lost('deletion of 1 at 100'),
    );
    expect(faultsOf([remove(100, 1), insert(200, 0)], other)).toEqual([]);
    expect(faultsOf([insert(50, 2), remove(100, 1)], other)).toEqual([]);
    // a row that has a value of the deleted one is not another
    expect(faultsOf([remove(100, 1), insert(200, 0)], { ...other, c: 'c1' })).toContainEqual(
      expect.stringContaining('the deletion of 1 at 100 ms is lost'),
    );
    const seen = remove(100, 1, { b: 'b9' });
    expect(faultsOf([insert(50, 2), seen], { ...other, b: 'b1' })).toContainEqual(
      expect.stringContaining('the deletion of 1 at 100 ms is lost'),
    );
  });

  it('takes two deletions for one only where the service names one, and sent it to the database of the other', () => {
    const edits = [update(0, 0, { a: 'a2' }), remove(50, 1), remove(60, 2)];
    const evidence: Partial<RecordEvidence> = {
      deletionsOf: (database) => new Set(database === 1 ? ['t'] : []),
      isSentDeletion: () => true,
      isOverridden: () => true,
    };
    const end = { ...first, a: 'a2' };
    expect(faultsOf(edits, end, evidence)).toEqual([]);
    expect(faultsOf(edits, end, { ...evidence, isSentDeletion: () => false })).toEqual(lost('deletion of 2 at 60'));
    expect(faultsOf(edits, end, { ...evidence, isOverridden: () => false })).toHaveLength(2);
    const bothReported = {
      ...evidence,
      deletionsOf: (database: number) => new Set([`t${database}`]),
      isOverridden: (t: string) => t === 't1',
    };
    expect(faultsOf(edits, end, bothReported)).toEqual(lost('deletion of 2 at 60'));
  });

  it('takes an edit for replaced by a later one in the same database if the service had sent it on', () => {
    const edits = [update(0, 0, { a: 'a2' }), update(5, 1, { a: 'a3' }), update(9, 0, { a: 'a4' }, { a: 'a3' })];
    const end = { ...first, a: 'a4' };
    expect(faultsOf(edits, end, { isSentOn: () => true })).toEqual([]);
    expect(faultsOf(edits, end)).toEqual(lost('a of 0 at 0'));
    expect(faultsOf(edits.with(2, update(9, 2, { a: 'a4' }, { a: 'a3' })), end, { isSentOn: () => true })).toEqual(
      lost('a of 0 at 0'),
    );
  });

  it('takes a deletion for replaced by a later edit of the row in the same database if the service had sent it on', () => {
    const edits = [update(0, 2, { b: 'b2' }), remove(5, 1), update(50, 1, { a: 'a3' }, { b: 'b2' })];
    const end = { ...first, b: 'b2', a: 'a3' };
    const sentTo = (to: number): Partial<RecordEvidence> => ({ isSentDeletion: (database) => database === to });
    expect(faultsOf(edits, end, sentTo(2))).toEqual([]);
    expect(faultsOf(edits, end, sentTo(1))).toEqual(lost('deletion of 1 at 5'));
    expect(faultsOf(edits, end)).toEqual(lost('deletion of 1 at 5'));
    expect(faultsOf(edits.with(2, update(50, 2, { a: 'a3' }, { b: 'b2' })), end, sentTo(2))).toEqual(
      lost('deletion of 1 at 5'),
    );
  });

  it('excuses the deletion of a row that no scan saw', () => {
    const edits = [remove(0, 0), insert(10, 0), remove(50, 0, other)];
    const named: Partial<RecordEvidence> = {
      deletionsOf: (_database, sinceMs) => new Set(sinceMs < 10 ? ['t'] : []),
      isOverridden: () => true,
    };
    expect(faultsOf(edits, first, named)).toEqual([]);
    expect(faultsOf(edits, first, { ...named, reportsOf: () => new Set(['t']) })).toEqual(lost('deletion of 0 at 50'));
  });

  it('finds a value that no edit has set', () => {
    expect(faultsOf([update(0, 0, { a: 'a2' })], { ...first, a: 'a2' })).toEqual([]);
    expect(faultsOf([update(0, 0, { a: 'a2' })], { ...first, a: 'A2' })).toContain('no edit has set a to A2');
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
