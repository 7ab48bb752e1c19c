import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, uuid } from '../../testing/event-world.js';

const key = { id: 1 };
const ada = { id: 1, name: 'Ada' };

/** A creates a record, deletes it and creates it again. B has reported nothing yet. */
const createdTwice = () => {
  const world = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
  const first = world.happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
  world.happen('A', { action: 'DELETE', drKey: key });
  const second = world.happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
  expect(second).not.toBe(first);
  return { ...world, first, second };
};

describe('a report of a link that names a record that is gone', () => {
  it('does not link or unlink another record that has the key', () => {
    const { report, book, first, second, requireAdaptor } = createdTwice();
    const b = requireAdaptor('B').uuid;
    report('B', 'LINK', first, key);
    expect(book.byUuid(second)?.links.has(b)).toBe(false);
    expect(book.byUuid(second)?.expected.has(b)).toBe(true);
    report('B', 'LINK', second, key);
    report('B', 'UNLINK', first, key);
    expect(book.byUuid(second)?.links.has(b)).toBe(true);
  });

  it('links the record with the key if the adaptor was not sent that record', () => {
    const adaptors = [createAdaptor('A'), createAdaptor('B', { actions: ['PUT', 'DELETE'] })];
    const { happen, report, book, requireAdaptor } = createWorld({ adaptors });
    const present = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    report('B', 'LINK', uuid(555), key);
    expect(book.byUuid(present)?.links.has(requireAdaptor('B').uuid)).toBe(true);
  });
});

describe('a report of a DELETE after which the adaptor was sent the record again', () => {
  it('keeps the known content of the adaptor after any number of later messages', () => {
    const world = createWorld({ adaptors: ['A', 'B', 'C'].map((name) => createAdaptor(name)), acknowledged: true });
    const { happen, report, book, requireAdaptor } = world;
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    report('B', 'LINK', recordUuid);
    report('C', 'LINK', recordUuid);
    happen('A', { action: 'DELETE', drKey: key });
    // C had not seen the DELETE, and keeps the record
    happen('C', { action: 'PUT', json: { ...ada, note: 'of C' } }, { applied: 1, begun: 1 });
    for (let round = 1; round <= 20; round += 1) happen('A', { action: 'PUT', json: { ...ada, note: `${round}` } });
    const b = requireAdaptor('B').uuid;
    report('B', 'LINK', recordUuid);
    report('B', 'UNLINK', recordUuid);
    expect(book.byUuid(recordUuid)?.expected.has(b)).toBe(true);
    report('B', 'LINK', recordUuid);
    report('B', 'UNLINK', recordUuid);
    expect([book.byUuid(recordUuid)?.expected.has(b), book.byUuid(recordUuid)?.links.has(b)]).toEqual([false, false]);
  });
});
