import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { requirePage, toPaged } from './page.js';
import { parseSort } from './sort.js';

const causesOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.errors.map(({ pointer, code }) => [pointer, code]) : error;
  }
  return 'no error';
};

describe('requirePage', () => {
  it('fills in the defaults', () => {
    expect(requirePage({})).toEqual({ page: 0, size: 50 });
    expect(requirePage({ page: null, size: null }, 10)).toEqual({ page: 0, size: 10 });
  });
  it('names every argument that is out of range', () => {
    expect(causesOf(() => requirePage({ page: -1, size: 1001 }))).toEqual([
      ['page', 'OUT_OF_RANGE'],
      ['size', 'OUT_OF_RANGE'],
    ]);
    expect(causesOf(() => requirePage({ size: 0 }))).toEqual([['size', 'OUT_OF_RANGE']]);
  });
});

describe('toPaged', () => {
  it.each([
    [0, 0],
    [1, 1],
    [10, 1],
    [11, 2],
  ])('%i elements in pages of 10 are %i pages', (elements, pages) => {
    expect(toPaged([], { page: 0, size: 10 }, elements).page).toEqual({
      page: 0,
      size: 10,
      totalElements: elements,
      totalPages: pages,
    });
  });
});

describe('parseSort', () => {
  it('reads directions', () => {
    expect(parseSort('name,-dateCreated', ['name', 'dateCreated'])).toEqual([
      { field: 'name', descending: false },
      { field: 'dateCreated', descending: true },
    ]);
    expect(parseSort(undefined, ['name'])).toEqual([]);
  });
  it('refuses an unknown field and lists the allowed ones', () => {
    expect(causesOf(() => parseSort('secret', ['name']))).toEqual([['sort', 'UNKNOWN_SORT']]);
  });
  it('reports every unknown field', () => {
    expect(causesOf(() => parseSort('a,name,-b', ['name']))).toHaveLength(2);
  });
});
