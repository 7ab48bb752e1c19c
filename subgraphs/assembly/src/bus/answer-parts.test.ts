import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createAnswerParts } from './answer-parts.js';

const partOf = (part: number, count: number) => ({
  part,
  last: part === count,
  records: [{ drKey: { part }, data: {} }],
  timestamps: undefined,
});

describe('the parts of an answer', () => {
  it('are complete when the last of them has arrived, in any order, and are returned in order', () => {
    const order = fc
      .integer({ min: 1, max: 20 })
      .chain((count) =>
        fc.tuple(
          fc.constant(count),
          fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }),
        ),
      );
    fc.assert(
      fc.property(order, ([count, indices]) => {
        const parts = createAnswerParts();
        for (const [position, index] of indices.entries()) {
          const part = index + 1;
          expect(parts.isComplete).toBe(false);
          expect(parts.isMissing(part)).toBe(true);
          parts.add(partOf(part, count));
          expect(parts.isMissing(part)).toBe(false);
          expect(parts.isComplete).toBe(position === count - 1);
        }
        expect(parts.inOrder().map(({ part }) => part)).toEqual([...Array(count).keys()].map((index) => index + 1));
      }),
    );
  });

  it('end with the first part that is marked as the last', () => {
    const parts = createAnswerParts();
    parts.add(partOf(3, 9));
    parts.add(partOf(2, 2));
    expect([parts.isComplete, parts.isMissing(1), parts.isMissing(4), parts.isMissing(0)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    parts.add(partOf(1, 2));
    expect(parts.isComplete).toBe(true);
    expect(parts.inOrder().map(({ part }) => part)).toEqual([1, 2]);
  });
});
