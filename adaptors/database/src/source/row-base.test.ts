import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import {
  baseOf,
  baseOfRow,
  changedProperties,
  digestOf,
  type KnownRow,
  knownRowOf,
  mergedBase,
  recordWithBase,
  reportOf,
  sentValues,
  unknownBase,
  withNote,
  type RowBase,
} from './row-base.js';

const row = { keyText: '["a"]', drUuid: null };
const properties = ['id', 'price', 'name'];
const stateOf = (base: RowBase): KnownRow => knownRowOf(row, base, properties);

describe('values that were noted before a commit', () => {
  const base: RowBase = { sent: { id: 'a', price: 1.005, name: 'x' }, stored: { id: 'a', price: 1, name: 'x' } };
  const note = (sent: number, stored: number): RowBase => ({ sent: { price: sent }, stored: { price: stored } });

  it('belong to the base if the row holds them', () => {
    const noted = withNote(withNote(stateOf(base), note(2.005, 2)), note(3.005, 3));
    expect(noted.digest).toBe(stateOf(base).digest);
    const held = (price: number): RowBase => baseOfRow(noted, { id: 'a', price, name: 'x' });
    expect(held(2)).toEqual({ sent: { ...base.sent, price: 2.005 }, stored: { ...base.stored, price: 2 } });
    expect(held(3)).toEqual({ sent: { ...base.sent, price: 3.005 }, stored: { ...base.stored, price: 3 } });
    // an edit of a user, and an event that was not committed
    expect(held(4)).toEqual(base);
    expect(held(1)).toEqual(base);
    expect(sentValues(noted)).toEqual(base.sent);
  });

  it('are bounded in number', () => {
    let noted = stateOf(base);
    for (let at = 0; at < 100; at += 1) noted = withNote(noted, note(at + 0.005, at));
    expect(noted.record.length).toBeLessThan(600);
    expect(baseOfRow(noted, { price: 99 }).sent['price']).toBe(99.005);
  });
});

describe('a stored row', () => {
  it('is the text of the record if nothing was rounded, and has the digest of its content', () => {
    const record: JsonObject = { id: 'a', price: 1, name: null };
    const text = '{"id":"a","price":1,"name":null}';
    expect(stateOf({ sent: { name: null, price: 1, id: 'a' }, stored: record })).toMatchObject({
      record: text,
      digest: digestOf(text),
    });
  });

  it.each<[string, RowBase]>([
    ['a rounded value', { sent: { id: 'a', price: 1.005 }, stored: { id: 'a', price: 1 } }],
    ['another order of members', { sent: { price: { b: 1, a: 2 } }, stored: { price: { a: 2, b: 1 } } }],
    ['a value that was never sent', { sent: { id: 'a' }, stored: { id: 'a', price: null, name: 'x' } }],
    ['a value that is not known', { sent: { id: 'a', name: 'x' }, stored: { id: 'a' } }],
    ['only unknown values', { sent: { id: 'a' }, stored: {} }],
    ['nothing', unknownBase],
  ])('returns %s', (_, base) => {
    expect(baseOf(stateOf(base))).toEqual(base);
    expect(sentValues(stateOf(base))).toEqual(base.sent);
    expect(baseOf(withNote(stateOf(base), { sent: { price: 2.005 }, stored: { price: 2 } }))).toEqual(base);
    // a row that cannot be read has another digest
    const faulty: KnownRow = { ...row, digest: 'fault', record: recordWithBase(stateOf(base)) };
    expect(baseOf(faulty)).toEqual(base);
    expect(recordWithBase(faulty)).toBe(faulty.record);
    expect(sentValues(faulty)).toEqual(base.sent);
  });

  it('from an earlier version is the base if the digest belongs to it', () => {
    const record = '{"id":"a","price":1}';
    const values = { id: 'a', price: 1 };
    expect(baseOf({ ...row, record, digest: digestOf(record) })).toEqual({ sent: values, stored: values });
  });

  it.each(['', 'fault x', digestOf('{"id":"a"}')])(
    'from an earlier version is not known with the digest %p',
    (digest) => {
      const known = { ...row, record: '{"id":"a","price":1}', digest };
      expect(baseOf(known)).toEqual(unknownBase);
      // the deletion of the row still names its record
      expect(sentValues(known)).toEqual({ id: 'a', price: 1 });
    },
  );
});

it('a report has changed values, exact values of the others, and no value that was never sent', () => {
  const base: RowBase = { sent: { id: 'a', price: 1.005 }, stored: { id: 'a', price: 1, name: null } };
  const record = { id: 'b', price: 1, name: null };
  const changed = changedProperties(base, record);
  expect(changed).toEqual(['id']);
  expect(reportOf(base, record, changed)).toEqual({ id: 'b', price: 1.005 });
});

it('a report does not replace the base of a property that an event has written in the meantime', () => {
  const before: RowBase = { sent: { id: 'a', name: 'n' }, stored: { id: 'a', name: 'n' } };
  const now: RowBase = { sent: { id: 'a', name: 'event', price: 7 }, stored: { id: 'a', name: 'event', price: 7 } };
  const reported: RowBase = { sent: { id: 'b', name: 'local' }, stored: { id: 'b', name: 'local' } };
  const merged = { id: 'b', name: 'event', price: 7 };
  expect(mergedBase(before, now, reported, ['id', 'name'])).toEqual({ sent: merged, stored: merged });
});
