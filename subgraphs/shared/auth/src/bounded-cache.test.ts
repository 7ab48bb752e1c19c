import { expect, it } from '@jest/globals';
import { createBoundedCache } from './bounded-cache.js';

it('evicts the least recently used entry', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

it('replaces, deletes and forgets', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('a', 2);
  cache.set('b', 3);
  expect(cache.get('a')).toBe(2);
  cache.delete('a');
  expect(cache.get('a')).toBeUndefined();
  cache.clear();
  expect(cache.get('b')).toBeUndefined();
});
