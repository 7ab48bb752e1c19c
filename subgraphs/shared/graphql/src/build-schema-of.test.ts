import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { describe, expect, it } from '@jest/globals';
import { graphql, lexicographicSortSchema, parse, printType, type GraphQLSchema } from 'graphql';
import { buildSchemaOf } from './build-schema-of.js';
import { scalars } from './scalars.js';
import { subgraphNames } from './subgraph-names.js';

const header = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])';

const sample = `${header}
"""Text""" type Page @shareable { size(of: Kind = BIG, most: [Int!] = [1, 2]): Int @deprecated(reason: "old") }
enum Kind { BIG SMALL }
scalar Long
input Range { from: Long = 3 to: Long! }
type Zone @key(fields: "uuid") { uuid: ID! pages(in: Range): [Page!]! }
type Person @key(fields: "uuid", resolvable: true) @key(fields: "name", resolvable: false) { uuid: ID! name: String! }
type Domain @key(fields: "uuid", resolvable: false) { uuid: ID! }
type Query { zone: Zone domain: Domain person: Person }
type Mutation { add(zone: ID!): Zone }
type Subscription { added: Zone }`;

const sdlOf = (name: string): string =>
  readFileSync(new URL(`../../../${name}/schema.graphql`, import.meta.url), 'utf8');

/** The types of a schema without those that only describe the directives of federation. */
const typesOf = (schema: GraphQLSchema): string[] =>
  Object.values(lexicographicSortSchema(schema).getTypeMap())
    .filter(({ name }) => !/^(?:link|federation)?__/.test(name))
    .map(printType)
    .sort();

const buildByApollo = (sdl: string): GraphQLSchema =>
  buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: { ...scalars } }]);

describe('buildSchemaOf', () => {
  it.each([['a sample', sample] as const, ...subgraphNames.map((name) => [name, sdlOf(name)] as const)])(
    'builds the types that @apollo/subgraph builds from the SDL of %s',
    (_name, sdl) => {
      expect(typesOf(buildSchemaOf(sdl, {}))).toEqual(typesOf(buildByApollo(sdl)));
    },
  );

  it('resolves entities by the resolver of their type, and answers with the SDL', async () => {
    const schema = buildSchemaOf(sample, {
      Zone: { __resolveReference: ({ uuid }: { uuid: string }) => ({ uuid: `${uuid}!` }) },
    });
    const source = `query ($of: [_Any!]!) {
      _entities(representations: $of) { __typename ... on Zone { uuid } ... on Person { uuid } } _service { sdl } }`;
    const of = ['Zone', 'Person'].map((__typename) => ({ __typename, uuid: 'a' }));
    expect(await graphql({ schema, source, variableValues: { of } })).toEqual({
      data: {
        _entities: [
          { __typename: 'Zone', uuid: 'a!' },
          { __typename: 'Person', uuid: 'a' },
        ],
        _service: { sdl: sample },
      },
    });
  });
});
