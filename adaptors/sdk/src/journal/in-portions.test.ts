import { describe, expect, it } from '@jest/globals';
import { inPortions } from './in-portions.js';

describe('inPortions', () => {
  it.each([
    [[], []],
    [['a'], [['a']]],
    [
      ['aa', 'bb', 'c'],
      [['aa', 'bb'], ['c']],
    ],
    [
      ['aaaaaa', 'b', 'ccc'],
      [['aaaaaa'], ['b', 'ccc']],
    ],
  ])('with at most four characters of %j are %j', (texts, portions) => {
    expect(inPortions(texts, 4)).toEqual(portions);
  });
});
