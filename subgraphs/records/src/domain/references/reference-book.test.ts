import { describe, expect, it } from '@jest/globals';
import { RecordBook, type RecordState } from '../records/record-book.js';
import { noReferences, ReferenceBook, type StoredReferences } from './reference-book.js';

const version = 'v';

const record = (uuid: string, keyDigest = `key-${uuid}`): RecordState => ({
  uuid,
  domainVersionUuid: version,
  keyDigest,
  drKey: { id: uuid },
  json: {},
  createdByUuid: null,
  links: new Map(),
  expected: new Map(),
});

const open = (stored: readonly RecordState[], references: Partial<StoredReferences> = {}) => {
  const book = new RecordBook(stored);
  return { book, references: new ReferenceBook(book, { ...noReferences, ...references }) };
};
const to = (targetUuid: string) => [{ pointer: '/other', targetUuid }];
const byKey = (keyDigest: string) => ({ kind: 'KEY', keyDigest }) as const;
const byUuid = (uuid: string) => ({ kind: 'UUID', uuid }) as const;

describe('ReferenceBook', () => {
  it('finds stored targets, and those that the batch adds, in the right version only', () => {
    const target = { uuid: 'a', domainVersionUuid: version, keyDigest: 'key-a', drKey: { id: 'a' } };
    const { book, references } = open([], { targets: [target] });
    book.add(record('b'));
    for (const uuid of ['a', 'b']) {
      expect(references.findTargets(version, byUuid(uuid))[0]?.uuid).toBe(uuid);
      expect(references.findTargets(version, byKey(`key-${uuid}`))[0]?.uuid).toBe(uuid);
      expect(references.findTargets('another', byUuid(uuid))).toEqual([]);
      expect(references.findTargets('another', byKey(`key-${uuid}`))).toEqual([]);
    }
  });

  it('finds nothing that the batch deleted, and no key that it gave up', () => {
    const [gone, moved] = [record('a'), record('b')];
    const targets = [gone, moved].map((state) => ({ ...state }));
    const { book, references } = open([gone, moved], { targets });
    book.delete(gone);
    moved.keyDigest = 'key-new';
    book.touch(moved);
    expect(references.findTargets(version, byUuid('a'))).toEqual([]);
    expect(references.findTargets(version, byKey('key-a'))).toEqual([]);
    expect(references.findTargets(version, byKey('key-b'))).toEqual([]);
    expect(references.findTargets(version, byKey('key-new'))[0]?.uuid).toBe('b');
  });

  it('counts who refers to a record as the batch leaves it, never the record itself', () => {
    const [target, holder] = [record('t'), record('h')];
    const { book, references } = open([target, holder], {
      outsideReferrers: new Map([['t', 2]]),
      insideReferences: [
        { recordUuid: 'h', targetUuid: 't' },
        { recordUuid: 't', targetUuid: 't' },
      ],
    });
    expect(references.countReferrers('t')).toBe(3);
    references.keep('h', to('other'));
    expect(references.countReferrers('t')).toBe(2);
    references.keep('h', to('t'));
    expect(references.countReferrers('t')).toBe(3);
    book.delete(holder);
    expect(references.countReferrers('t')).toBe(2);
  });

  it('writes the last references of each record, none of one that is gone', () => {
    const [kept, gone] = [record('k'), record('g')];
    const { book, references } = open([kept, gone]);
    references.keep('k', to('a'));
    references.keep('k', to('b'));
    references.keep('g', to('a'));
    book.add(record('fresh'));
    references.keep('fresh', []);
    book.delete(gone);
    expect(references.changes()).toEqual({
      recordUuids: ['k'],
      references: [{ recordUuid: 'k', pointer: '/other', targetUuid: 'b' }],
    });
  });
});
