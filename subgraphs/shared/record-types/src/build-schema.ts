import type { RequestContext } from '@fds/graphql';
import { GraphQLObjectType, GraphQLSchema, type GraphQLEnumType, type GraphQLFieldConfig } from 'graphql';
import { buildChanges } from './build-changes.js';
import { buildRecordType, namedTypeOf, type BuiltRecordType } from './build-record-types.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';

/** READ: record types and their query fields. CHANGE: in addition their mutations and input types. */
export type RecordTypeUse = 'READ' | 'CHANGE';

/** Adds record types to a schema. References among them become fields, others are left out. */
export type SchemaBuilder = (
  definitions: readonly RecordTypeDefinition[],
  options: {
    readonly use: RecordTypeUse;
    /** Config of the `data` field of pages. Default: a list of records. */
    readonly rows?: GraphQLFieldConfig<unknown, RequestContext>;
  },
) => GraphQLSchema;

/**
 * Prepares the building of schemas that share the static types.
 *
 * @param staticSchema supplies Page, RecordMetadata, the scalars, and every static root field
 */
export const createSchemaBuilder = (
  staticSchema: GraphQLSchema,
  resolvers: RecordTypeResolvers | undefined,
): SchemaBuilder => {
  const staticConfig = staticSchema.toConfig();
  const staticQuery = staticSchema.getQueryType()?.toConfig() ?? { name: 'Query', fields: {} };
  const staticMutation = staticSchema.getMutationType()?.toConfig() ?? { name: 'Mutation', fields: {} };
  const roots = new Set([staticQuery.name, staticMutation.name]);
  const staticTypes = staticConfig.types.filter(({ name }) => !roots.has(name));

  return (definitions, { use, rows }) => {
    if (definitions.length === 0) return staticSchema;
    const byName = new Map(definitions.map((definition) => [definition.typeName.toLowerCase(), definition]));
    const built = new Map<string, BuiltRecordType>();
    const enums = new Map<string, GraphQLEnumType>();
    const surroundings = {
      find: (typeName: string) => byName.get(typeName.toLowerCase()),
      record: (typeName: string) => built.get(typeName)?.record,
      enum: (typeName: string) => enums.get(typeName),
      staticType: (name: string) => staticSchema.getType(name),
    };
    const fields = { ...staticQuery.fields };
    const changes = { ...staticMutation.fields };
    const findNamed = (name: string) => enums.get(name) ?? namedTypeOf(name, surroundings);
    for (const definition of definitions) {
      const type = buildRecordType(definition, surroundings, resolvers, rows);
      built.set(definition.typeName, type);
      for (const each of type.enums) enums.set(each.name, each);
      fields[definition.typeName] = type.queryField;
      if (use === 'CHANGE') Object.assign(changes, buildChanges(definition, findNamed, resolvers));
    }
    const query = new GraphQLObjectType({ ...staticQuery, fields });
    const mutation =
      Object.keys(changes).length === 0 ? null : new GraphQLObjectType({ ...staticMutation, fields: changes });
    // every type is ours or of a valid schema
    return new GraphQLSchema({ ...staticConfig, types: staticTypes, query, mutation, assumeValid: true });
  };
};
