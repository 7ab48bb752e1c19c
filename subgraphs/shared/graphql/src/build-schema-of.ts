import { addResolversToSchema, entitiesResolver } from '@apollo/subgraph';
import { buildASTSchema, Kind, parse, type DefinitionNode, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import { scalars } from './scalars.js';

/** The object types that have a key. */
const entitiesOf = (definitions: readonly DefinitionNode[]): string[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION && node.directives?.some(({ name }) => name.value === 'key') === true
      ? [node.name.value]
      : [],
  );

/** The fields that a gateway requires from a subgraph with these entities. */
const federationSdl = (entities: readonly string[]): string => {
  const fields = '_service: _Service!';
  const common = 'type _Service { sdl: String }';
  return entities.length === 0
    ? `${common} extend type Query { ${fields} }`
    : `${common} scalar _Any union _Entity = ${entities.join(' | ')}
       extend type Query { _entities(representations: [_Any!]!): [_Entity]! ${fields} }`;
};

interface Representations {
  readonly representations: readonly unknown[];
}

const federationResolvers = (sdl: string) => ({
  Query: {
    _service: () => ({ sdl }),
    _entities: (_source: unknown, { representations }: Representations, context: unknown, info: GraphQLResolveInfo) =>
      entitiesResolver({ representations, context, info }) as unknown,
  },
  _Entity: { __resolveType: ({ __typename }: { readonly __typename: string }) => __typename },
});

/**
 * Builds the executable schema of a subgraph's SDL, with the shared scalars. It is the schema that `buildSubgraphSchema`
 * of `@apollo/subgraph` builds, without the check of the SDL and its directives: composition checks them at build time.
 * That check took a quarter of a start.
 */
export const buildSchemaOf = (typeDefs: string, resolvers: Record<string, unknown>): GraphQLSchema => {
  const { definitions } = parse(typeDefs, { noLocation: true });
  const federation = parse(federationSdl(entitiesOf(definitions)), { noLocation: true });
  const schema = buildASTSchema(
    { kind: Kind.DOCUMENT, definitions: [...definitions, ...federation.definitions] },
    { assumeValid: true, assumeValidSDL: true },
  );
  addResolversToSchema(schema, federationResolvers(typeDefs));
  addResolversToSchema(schema, { ...scalars, ...(resolvers as typeof scalars) });
  return schema;
};
