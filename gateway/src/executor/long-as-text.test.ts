import { expect, it } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { compileLongWriter } from './long-as-text.js';

const schema = buildSchema(`
  scalar Long
  interface Node { id: Long }
  type Pet implements Node { id: Long name: String weight: Float }
  type Person implements Node { id: Long ids: [[Long]] pets: [Pet] best: Pet age: Int }
  union Anything = Pet | Person
  type Query { person: Person people: [Person!]! node: Node anything: [Anything] count: Long! }
`);

const write = (source: string, data: Readonly<Record<string, unknown>>): unknown => {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  return compileLongWriter(schema, document, undefined)?.(data);
};

const big = 9_223_372_036_854_775_807n;

it.each([
  ['{ count }', { count: big }, { count: '9223372036854775807' }],
  ['{ total: count }', { total: 0 }, { total: '0' }],
  [
    '{ person { id ids age } }',
    { person: { id: -1, ids: [[1, null], null], age: 7 } },
    { person: { id: '-1', ids: [['1', null], null], age: 7 } },
  ],
  ['{ person { id } }', { person: null }, { person: null }],
  [
    '{ people { pets { ...P } best { name } best { id } } } fragment P on Pet { weight key: id }',
    { people: [{ pets: [{ weight: 1, key: 1 }, null], best: { name: 'a', id: big } }] },
    { people: [{ pets: [{ weight: 1, key: '1' }, null], best: { name: 'a', id: String(big) } }] },
  ],
  [
    '{ anything { __typename ... on Pet { id weight } ... on Person { ids age } } node { id } }',
    {
      anything: [
        { __typename: 'Pet', id: 5, weight: 2 },
        { __typename: 'Person', ids: [[6]], age: 3 },
      ],
      node: { id: 4 },
    },
    {
      anything: [
        { __typename: 'Pet', id: '5', weight: 2 },
        { __typename: 'Person', ids: [['6']], age: 3 },
      ],
      node: { id: '4' },
    },
  ],
])('writes the Long values of %s as text, and changes nothing else', (source, data, written) => {
  const before = structuredClone(data);
  expect(JSON.stringify(write(source, data))).toBe(JSON.stringify(written));
  expect(data).toEqual(before);
});

it('changes nothing for an operation without Long fields', () => {
  expect(write('{ person { age best { weight } } }', {})).toBeUndefined();
});
