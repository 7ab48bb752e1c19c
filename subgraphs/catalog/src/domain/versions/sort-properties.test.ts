import { describe, expect, it } from '@jest/globals';
import { sortProperties } from './sort-properties.js';

const property = (name: string, type: 'string' | 'integer', required: boolean) => ({
  name,
  type,
  required,
  drKey: false,
  format: null,
  description: null,
  reference: null,
});
const listed = [property('b', 'string', true), property('a', 'string', false), property('c', 'integer', true)];

describe('sortProperties', () => {
  it.each([
    ['', 'bac'],
    ['name', 'abc'],
    ['-name', 'cba'],
    ['type', 'cba'],
    ['required', 'abc'],
    ['-required,name', 'bca'],
  ])('by "%s" gives %s', (sort, names) => {
    const terms = sort
      .split(',')
      .filter((term) => term !== '')
      .map((term) => ({ field: term.replace('-', ''), descending: term.startsWith('-') }));
    const sorted = sortProperties(listed as never[], terms) as unknown as typeof listed;
    expect(sorted.map(({ name }) => name).join('')).toBe(names);
  });
});
