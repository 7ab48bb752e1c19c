import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KnownContent } from '../../domain/routing/known-content.js';
import type { SentNote } from '../../domain/routing/sent-note.js';
import { decodeKnown, encodeKnown } from './known-content-codec.js';

// what JSON and a property of a model can have: no reserved name, no lone surrogate
const names = fc
  .oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constantFrom('a|b', 'a,b=c', '%2C', '~1@2!', 'é'))
  .filter((name) => !name.toLowerCase().startsWith('_fds') && name !== '__proto__');
const hash = fc.stringMatching(/^[0-9a-f]{16}$/u);
const hashes = fc.dictionary(names, hash, { noNullPrototype: true });
const sequence = fc.nat({ max: 2 ** 31 - 1 });
const before = fc.dictionary(names, fc.oneof(hash, fc.constant('')), { noNullPrototype: true });

const note: fc.Arbitrary<SentNote> = fc
  .record({
    sequence,
    before,
    kind: fc.constantFrom('CHANGE', 'DELETION', 'CONFIRMATION'),
    from: sequence,
    undisturbed: fc.boolean(),
    mergedFrom: fc.option(sequence, { nil: undefined }),
  })
  .map(({ kind, from, undisturbed, mergedFrom, ...common }) => ({
    ...common,
    kind,
    ...(kind === 'CONFIRMATION' ? { from } : {}),
    // some or all of the properties; a list that is empty is left out
    ...(kind === 'CONFIRMATION' && undisturbed && Object.keys(common.before).length > 0
      ? { undisturbed: Object.keys(common.before).slice(0, 2) }
      : {}),
    ...(mergedFrom === undefined ? {} : { mergedFrom }),
  }));

const position = fc.record({
  applied: fc.oneof(sequence, fc.constant(Number.POSITIVE_INFINITY)),
  begun: fc.oneof(sequence, fc.constant(Number.POSITIVE_INFINITY)),
});

const known: fc.Arbitrary<KnownContent> = fc.record({
  hashes,
  failed: hashes,
  skipped: hashes,
  sent: fc.array(note, { maxLength: 5 }),
  withheld: fc.array(names, { maxLength: 5 }),
  waiting: fc.array(position, { maxLength: 5 }),
  deletionSent: fc.boolean(),
});

describe('the stored form of known content', () => {
  it('is read back as what was written, also through JSON', () => {
    fc.assert(
      fc.property(known, (content) => {
        expect(decodeKnown(JSON.parse(JSON.stringify(encodeKnown(content))))).toEqual(content);
      }),
    );
  });

  // rows that releases before the codec wrote
  it.each<[string, Record<string, string>, Partial<KnownContent>]>([
    ['nothing', {}, {}],
    ['hashes', { name: '0123456789abcdef' }, { hashes: { name: '0123456789abcdef' } }],
    ['a deletion', { _fdsDeletionSent: '1' }, { deletionSent: true }],
    [
      'withheld properties',
      { a: '00', _fdsWithheld: 'first%20name,%C3%A9%2Cb' },
      { hashes: { a: '00' }, withheld: ['first name', 'é,b'] },
    ],
    [
      'waiting events',
      { _fdsWaiting: '3-5,4-,Infinity-' },
      {
        waiting: [
          { applied: 3, begun: 5 },
          { applied: 4, begun: Number.POSITIVE_INFINITY },
          { applied: Number.POSITIVE_INFINITY, begun: Number.POSITIVE_INFINITY },
        ],
      },
    ],
    [
      'sent messages',
      { _fdsSent: '7|9~8,a%2Cb=0123,c=|12@9,a=45|13!,c=67' },
      {
        sent: [
          { sequence: 7, kind: 'CHANGE', before: {} },
          { sequence: 9, kind: 'CHANGE', before: { 'a,b': '0123', c: '' }, mergedFrom: 8 },
          { sequence: 12, kind: 'CONFIRMATION', before: { a: '45' }, from: 9 },
          { sequence: 13, kind: 'DELETION', before: { c: '67' } },
        ],
      },
    ],
  ])('of an earlier release is read: %s', (_, stored, content) => {
    const empty = { hashes: {}, failed: {}, skipped: {}, sent: [], withheld: [], waiting: [], deletionSent: false };
    expect(decodeKnown(stored)).toEqual({ ...empty, ...content });
    expect(encodeKnown(decodeKnown(stored))).toEqual(stored);
  });
});
