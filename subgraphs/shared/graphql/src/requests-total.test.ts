import { describe, expect, it } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { requestsTotal } from './requests-total.js';

const schema = buildSchema(`
  type Query { list: List! }
  type List { data: [String!]! page: Page! }
  type Page { page: Int! size: Int! totalElements: Int! totalPages: Int! }`);

/** The answers of `requestsTotal` for each time that the list is resolved. */
const ask = (source: string, variableValues: Readonly<Record<string, unknown>> = {}): readonly boolean[] => {
  const asked: boolean[] = [];
  const list = (_args: unknown, _context: unknown, info: Parameters<typeof requestsTotal>[0]) => {
    asked.push(requestsTotal(info));
    return { data: [], page: { page: 0, size: 1, totalElements: 0, totalPages: 0 } };
  };
  const { errors } = graphqlSync({ schema, source, rootValue: { list }, variableValues });
  expect(errors).toBeUndefined();
  return asked;
};

describe('requestsTotal', () => {
  it.each([
    ['no page', '{ list { data } }', false],
    ['a page without totals', '{ list { data page { page size __typename } } }', false],
    ['the total of rows', '{ list { page { totalElements } data } }', true],
    ['the total of pages', '{ list { page { size totalPages } } }', true],
    ['other names', '{ totalElements: list { totalPages: data page: data } }', false],
    ['an alias', '{ list { p: page { t: totalElements } } }', true],
    ['merged fields', '{ list { data } list { page { page } } list { page { totalElements } } }', true],
    ['inline fragments', '{ list { ... { ... on List { page { ... on Page { totalElements } } } } } }', true],
    ['a fragment', '{ list { ...A } } fragment A on List { page { ...B } } fragment B on Page { totalPages }', true],
    [
      'a fragment without totals',
      '{ list { ...A } } fragment A on List { data page { ...B } } fragment B on Page { size }',
      false,
    ],
    ['a directive', 'query ($t: Boolean = true) { list { page { page totalElements @include(if: $t) } } }', true],
  ])('finds the total in a query with %s', (_what, source, expected) => {
    expect(ask(source)).toEqual([expected]);
  });

  it('visits a fragment once, however often it is spread', () => {
    const fragments = Array.from({ length: 40 }, (_, n) => `fragment F${n} on List { ...F${n + 1} ...F${n + 1} data }`);
    expect(ask(`{ list { ...F0 } } ${fragments.join('\n')} fragment F40 on List { page { size } }`)).toEqual([false]);
  });
});
