import { describe, expect, it } from '@jest/globals';
import { nearestTo } from './nearest.js';

describe('nearestTo', () => {
  it.each([
    ['persn', ['customer', 'person'], ' (nearest: "person")'],
    ['NAME', ['same', 'name'], ' (nearest: "name")'],
    ['full_nam', ['first_name', 'full_name'], ' (nearest: "full_name")'],
    ['invoice', ['artist', 'album'], ''],
    ['x', [], ''],
  ])('returns a suggestion for %s among %p', (name, candidates, told) => {
    expect(nearestTo(name, candidates)).toBe(told);
  });
});
