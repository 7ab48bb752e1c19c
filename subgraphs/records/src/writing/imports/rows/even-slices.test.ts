import { describe, expect, it } from '@jest/globals';
import { evenSlices } from './even-slices.js';

describe('evenSlices', () => {
  it.each<[number, number, readonly number[]]>([
    [0, 3, []],
    [1, 3, [1]],
    [3, 3, [3]],
    [4, 3, [2, 2]],
    [7, 3, [2, 3, 2]],
    [9, 3, [3, 3, 3]],
    [2050, 1000, [683, 684, 683]],
  ])('cuts %i rows, at most %i together, into %j', (length, most, lengths) => {
    const rows = Array.from({ length }, (_, index) => index);
    const slices = evenSlices(rows, most);
    expect(slices.map((slice) => slice.length)).toEqual(lengths);
    expect(slices.flat()).toEqual(rows);
  });
});
