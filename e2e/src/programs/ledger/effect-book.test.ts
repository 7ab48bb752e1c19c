import { describe, expect, it } from '@jest/globals';
import { EffectBook } from './effect-book.js';

const effectsOf = (...numbers: readonly number[]) => {
  const book = new EffectBook();
  for (const n of numbers) book.add({ id: 'a', n });
  return book.effects();
};

describe('EffectBook', () => {
  it.each([
    ['each once, in order', [1, 2, 3], { applied: 3, doubled: 0, inverted: 0, missing: 0 }],
    ['an event that came twice', [1, 2, 2, 3], { applied: 4, doubled: 1, inverted: 0, missing: 0 }],
    ['an event that came again later', [1, 2, 3, 1], { applied: 4, doubled: 1, inverted: 0, missing: 0 }],
    ['two that changed places', [1, 3, 2], { applied: 3, doubled: 0, inverted: 1, missing: 0 }],
    ['an event that never came', [1, 3], { applied: 2, doubled: 0, inverted: 0, missing: 1 }],
    [
      'an event that came after its successor, and twice',
      [2, 1, 1],
      { applied: 3, doubled: 1, inverted: 1, missing: 0 },
    ],
  ])('counts %s', (_, numbers, effects) => expect(effectsOf(...numbers)).toEqual(effects));

  it('keeps records separate, and knows the existing effects', () => {
    const book = new EffectBook();
    book.add({ id: 'a', n: 1 });
    book.add({ id: 'b', n: 2 });
    expect(book.effects()).toEqual({ applied: 2, doubled: 0, inverted: 0, missing: 1 });
    expect([book.has({ id: 'a', n: 1 }), book.has({ id: 'b', n: 1 }), book.has({ id: 'c', n: 1 })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
