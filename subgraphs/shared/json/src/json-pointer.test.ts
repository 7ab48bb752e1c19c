import { describe, expect, it } from '@jest/globals';
import { ofSegment, pointerTo, toSegment } from './json-pointer.js';

describe('a segment of a JSON pointer', () => {
  it.each([
    ['name', 'name'],
    ['a/b', 'a~1b'],
    ['a~b', 'a~0b'],
    ['~1', '~01'],
    ['', ''],
  ])('of %j is %j, and the reverse', (name, segment) => {
    expect(toSegment(name)).toBe(segment);
    expect(ofSegment(segment)).toBe(name);
  });

  it('follows the pointer of its object or list', () => {
    expect(pointerTo('/values', 0)).toBe('/values/0');
    expect(pointerTo(pointerTo('', 'a/b'), 'c')).toBe('/a~1b/c');
  });
});
