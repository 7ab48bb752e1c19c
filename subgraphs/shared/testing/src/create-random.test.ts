import { describe, expect, it } from '@jest/globals';
import { createRandom } from './create-random.js';

describe('createRandom', () => {
  it('repeats its choices for the same seed, and makes others for another seed', () => {
    const choices = (seed: number): unknown[] => {
      const random = createRandom(seed);
      return [
        random.next(),
        random.below(1_000),
        random.pick(['a', 'b', 'c']),
        random.uuid(),
        random.shuffled([1, 2, 3, 4]),
      ];
    };
    expect(choices(7)).toEqual(choices(7));
    expect(choices(7)).not.toEqual(choices(8));
  });

  it('stays within its limits and loses no value of a shuffled list', () => {
    const random = createRandom(1);
    const drawn = Array.from({ length: 1_000 }, () => random.below(3));
    expect(new Set(drawn)).toEqual(new Set([0, 1, 2]));
    expect(new Set(random.shuffled([1, 2, 3, 4]))).toEqual(new Set([1, 2, 3, 4]));
    expect(random.some([1, 2, 3], 1)).toEqual([1, 2, 3]);
    expect(() => random.pick([])).toThrow('nothing to pick from');
  });
});
