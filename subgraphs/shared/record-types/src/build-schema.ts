import type { RequestContext } from '@fds/graphql';
import { GraphQLObjectType, GraphQLSchema, type GraphQLFieldConfig } from 'graphql';
import { buildRecordType, type BuiltRecordType } from './build-record-types.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';

/** Adds record types to a schema. References among them become fields, others are left out. */
export type SchemaBuilder = (
  definitions: readonly RecordTypeDefinition[],
  /** Config of the `data` field of pages. Default: a list of records. */
  rows?: GraphQLFieldConfig<unknown, RequestContext>,
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
  const staticTypes = staticConfig.types.filter(({ name }) => name !== staticQuery.name);

  return (definitions, rows) => {
    if (definitions.length === 0) return staticSchema;
    const byName = new Map(definitions.map((definition) => [definition.typeName.toLowerCase(), definition]));
    const built = new Map<string, BuiltRecordType>();
    const surroundings = {
      find: (typeName: string) => byName.get(typeName.toLowerCase()),
      record: (typeName: string) => built.get(typeName)?.record,
      staticType: (name: string) => staticSchema.getType(name),
    };
    const fields = { ...staticQuery.fields };
    for (const definition of definitions) {
      const type = buildRecordType(definition, surroundings, resolvers, rows);
      built.set(definition.typeName, type);
      fields[definition.typeName] = type.queryField;
    }
    const query = new GraphQLObjectType({ ...staticQuery, fields });
    // every type is ours or of a valid schema
    return new GraphQLSchema({ ...staticConfig, types: staticTypes, query, assumeValid: true });
  };
};
