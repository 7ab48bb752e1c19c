import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requireMember } from '../answer/answer-shape.js';
import { readOperation } from '../operation/read-operation.js';
import { loadStaticSchema } from '../testing/static-schema.js';
import { Reading } from '../causes/reading.js';
import { compileQueryReader, type RawQuery } from './compile-query-reader.js';

const { variables, result } = readOperation(
  `query ($name: String, $active: Boolean, $page: Int, $size: Int, $sort: String) {
    result: zones(zoneName: $name, active: $active, page: $page, size: $size, sort: $sort) { data { uuid name } }
  }`,
  loadStaticSchema(),
);
const declaration = { paged: true, filters: { name: 'name', active: 'active' }, sort: ['name'] } as const;
const readQuery = compileQueryReader(declaration, variables, {
  shape: requireMember(result, 'data'),
  selectable: 'fields',
});

const read = (query: RawQuery) => {
  const reading = new Reading();
  return { ...readQuery(query, reading), codes: reading.causes.map(({ code }) => code) };
};

describe('compileQueryReader', () => {
  it('supplies the variables', () => {
    const query = { page: '2', size: '1000', filters: 'active:false', sort: '-name,name' };
    expect(read(query).variables).toEqual({ page: 2, size: 1000, active: false, sort: '-name,name' });
  });

  it.each<[query: RawQuery, code: string]>([
    [{ page: '1e1' }, 'OUT_OF_RANGE'],
    [{ page: '' }, 'OUT_OF_RANGE'],
    [{ size: '0' }, 'OUT_OF_RANGE'],
    [{ size: ['1', '2'] }, 'DUPLICATE'],
    [{ options: 'a:b' }, 'UNKNOWN_PARAMETER'],
    [{ filters: 'name:' }, 'WRONG_VALUE'],
    [{ filters: 'name:" "' }, 'WRONG_VALUE'],
    [{ sort: '' }, 'UNKNOWN_SORT'],
    [{ filters: '' }, 'MALFORMED'],
    [{ fields: '' }, 'UNKNOWN_FIELD'],
    [{ filters: 'toString:1' }, 'UNKNOWN_FILTER'],
    [{ sort: '--name' }, 'UNKNOWN_SORT'],
    [{ filters: 'name:\0' }, 'INVALID_CHARACTER'],
  ])('refuses %j with %s', (query, code) => {
    expect(read(query).codes).toEqual([code]);
  });

  it.each(['active:false;name:a', 'name:a;active:false'])('names the separator where filters are %s', (filters) => {
    const reading = new Reading();
    readQuery({ filters }, reading);
    expect(reading.causes.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('terms are separated by a comma, not by ";"'),
    ]);
  });

  it('reads or refuses any query string', () => {
    const name = fc.constantFrom('page', 'size', 'filters', 'sort', 'fields', 'options', '__proto__', 'x');
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'binary' })), (query) => {
        expect(read(query)).toMatchObject({ codes: expect.any(Array) });
      }),
    );
  });
});
