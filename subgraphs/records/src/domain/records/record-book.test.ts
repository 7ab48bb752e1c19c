import { describe, expect, it } from '@jest/globals';
import { RecordBook, type LinkState, type RecordState } from './record-book.js';
import { nothingKnown } from '../routing/known-content.js';

const link = (adaptorUuid: string, keyDigest: string): LinkState => ({
  adaptorUuid,
  keyDigest,
  drKey: {},
  known: nothingKnown,
});

const record = (uuid: string, keyDigest: string, links: readonly LinkState[] = []): RecordState => ({
  uuid,
  domainVersionUuid: 'v',
  keyDigest,
  drKey: {},
  json: {},
  createdByUuid: null,
  links: new Map(links.map((each) => [each.adaptorUuid, each])),
  expected: new Map(),
});

const digests = (keys: readonly { readonly keyDigest: string }[]): string[] => keys.map(({ keyDigest }) => keyDigest);

const keysOf = ({ gainedKeys, freedKeys }: RecordBook) => ({ gained: digests(gainedKeys), freed: digests(freedKeys) });

describe('the keys that a batch gives and takes', () => {
  it('are none where it does nothing to them', () => {
    const known = record('r', 'a', [link('x', 'a')]);
    const book = new RecordBook([known]);
    known.json = { changed: true };
    book.touch(known);
    book.link(known, link('x', 'a'));
    expect(keysOf(book)).toEqual({ gained: [], freed: [] });
    expect(book.forgetsReferences).toBe(false);
  });

  it('are those of a new record and of its links, while it stays', () => {
    const [kept, gone] = [record('r', 'a', [link('x', 'b')]), record('s', 'c')];
    const book = new RecordBook([]);
    book.add(kept);
    book.add(gone);
    book.delete(gone);
    expect(keysOf(book)).toEqual({ gained: ['a', 'b'], freed: [] });
  });

  it('are those that a record and its link change', () => {
    const known = record('r', 'a', [link('x', 'a'), link('y', 'c')]);
    const book = new RecordBook([known]);
    book.link(known, link('x', 'b'));
    // free for its adaptor, though the record has it still
    expect(keysOf(book)).toEqual({ gained: ['b'], freed: ['a'] });
    known.keyDigest = 'b';
    book.touch(known);
    book.unlink(known, 'y');
    expect(keysOf(book)).toEqual({ gained: ['b'], freed: ['a', 'c'] });
  });

  it('are those of a link that takes the key which the record has', () => {
    const known = record('r', 'a', [link('x', 'b')]);
    const book = new RecordBook([known]);
    book.link(known, link('x', 'a'));
    expect(keysOf(book)).toEqual({ gained: [], freed: ['b'] });
  });

  it('are those of a removed record, with the records that it referred to', () => {
    const known = record('r', 'a', [link('x', 'b')]);
    const book = new RecordBook([known]);
    book.delete(known);
    expect(keysOf(book)).toEqual({ gained: [], freed: ['a', 'b'] });
    expect(book.forgetsReferences).toBe(true);
  });
});
