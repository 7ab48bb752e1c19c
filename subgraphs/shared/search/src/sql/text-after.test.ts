import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textAfter } from './text-after.js';

/** Code point order is the order of the bytes of UTF-8. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

const character = fc.oneof(
  fc.constantFrom('a', 'b', '\u{10FFFF}', '\u{D7FF}', '\u{E000}', '\u{FFFF}', '😀', '\u007F', '\u0001'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));

describe('textAfter', () => {
  it.each([
    ['ab', 'ac'],
    ['a\u{10FFFF}', 'b'],
    ['\u{D7FF}', '\u{E000}'],
    ['\u{FFFF}', '\u{10000}'],
    ['\u{10FFFF}\u{10FFFF}', undefined],
    ['', undefined],
  ])('of %j is %j', (beginning, after) => {
    expect(textAfter(beginning)).toBe(after);
  });

  it('has between it and a beginning the texts with that beginning, and no others', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (beginning, other, begins) => {
        const value = begins ? beginning + other : other;
        const after = textAfter(beginning);
        const isBetween = !isBefore(value, beginning) && (after === undefined || isBefore(value, after));
        expect(isBetween).toBe(value.startsWith(beginning));
      }),
      { numRuns: 2_000 },
    );
  });
});
