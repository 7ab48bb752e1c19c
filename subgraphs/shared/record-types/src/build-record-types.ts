import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  isInputType,
  isOutputType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import type { RequestContext } from '@fds/graphql';
import { pageDescription, recordDescription } from './descriptions.js';
import { queryArguments, referenceArguments, type FieldArgument } from './query-arguments.js';
import type { RecordField, RecordTypeDefinition, EnumDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';
import { visibleFields, type FieldType, type RecordTypeScope } from './visible-fields.js';
import { AppError } from '@fds/errors';

/**
 * Builds the enum of a property. Records outlive changes of their model, and sources may have other values: a value that is not listed
 * is an error at its field and does not affect the rest of the answer.
 */
const buildEnum = ({ typeName, values }: EnumDefinition): GraphQLEnumType => {
  const type = new GraphQLEnumType({
    name: typeName,
    values: Object.fromEntries(values.map((value) => [value, { value }])),
  });
  const listed = new Set<unknown>(values);
  type.serialize = (value) => {
    if (listed.has(value)) return value as string;
    throw new AppError('VALUE_NOT_IN_ENUM', 'the value is none of those listed in the model');
  };
  return type;
};

/** The GraphQL types of one definition. */
export interface BuiltRecordType {
  readonly record: GraphQLObjectType;
  readonly enums: readonly GraphQLEnumType[];
  /** Config of the query field. */
  readonly queryField: GraphQLFieldConfig<unknown, RequestContext>;
}

/** What types are built in. */
export interface TypeSurroundings extends RecordTypeScope {
  /** A built record type of the scope, by its exact name. */
  record(typeName: string): GraphQLObjectType | undefined;
  /** A built enum of the scope, by its exact name. */
  enum(typeName: string): GraphQLEnumType | undefined;
  /** A type of the static schema: Page, RecordMetadata, scalars. */
  staticType(name: string): GraphQLNamedType | undefined;
}

/** GraphQL's Float, which takes whole numbers beyond 2^53 too: reading JSON exactly makes them bigint. */
const wideFloat = new GraphQLScalarType<number, number>({
  ...GraphQLFloat.toConfig(),
  serialize: (value) => GraphQLFloat.serialize(typeof value === 'bigint' ? Number(value) : value),
});

const builtIn = new Map<string, GraphQLNamedType>(
  [GraphQLString, GraphQLInt, wideFloat, GraphQLBoolean].map((type) => [type.name, type]),
);

/** A scalar of a property, or a static type. */
export const namedTypeOf = (
  name: string,
  surroundings: Pick<TypeSurroundings, 'staticType'>,
): GraphQLNamedType | undefined =>
  // a schema has one type of a name, and the static types may use Float themselves
  (name === wideFloat.name ? surroundings.staticType(name) : undefined) ??
  builtIn.get(name) ??
  surroundings.staticType(name);

const requireStatic = (name: string, surroundings: TypeSurroundings): GraphQLNamedType => {
  const type = namedTypeOf(name, surroundings);
  if (type === undefined) throw new TypeError(`the static schema has no type ${name}`);
  return type;
};

const requireOutput = (type: GraphQLNamedType): GraphQLOutputType & GraphQLNamedType => {
  if (!isOutputType(type)) throw new TypeError(`${type.name} is not an output type`);
  return type;
};

const buildArguments = (
  list: readonly FieldArgument[],
  surroundings: TypeSurroundings,
): GraphQLFieldConfigArgumentMap =>
  Object.fromEntries(
    list.map((argument) => {
      const type = requireStatic(argument.type, surroundings);
      if (!isInputType(type)) throw new TypeError(`${type.name} is not an input type`);
      return [
        argument.name,
        {
          type: argument.list ? new GraphQLList(type) : type,
          description: argument.description,
          ...(argument.defaultValue === undefined ? {} : { defaultValue: argument.defaultValue }),
        },
      ];
    }),
  );

const wrap = (type: GraphQLOutputType & GraphQLNamedType, list: FieldType['list']): GraphQLOutputType => {
  if (list === 'no') return type;
  return new GraphQLList(list === 'of-nullable' ? type : new GraphQLNonNull(type));
};

type FieldMap = GraphQLFieldConfigMap<unknown, RequestContext>;

/**
 * Builds the types of a definition. Their fields are found when the schema is made, so that types may refer to each
 * other in circles; all that they refer to must be built by then.
 *
 * @param rows config of the `data` field of pages. Default: a list of records
 */
export const buildRecordType = (
  definition: RecordTypeDefinition,
  surroundings: TypeSurroundings,
  resolvers: RecordTypeResolvers | undefined,
  rows?: GraphQLFieldConfig<unknown, RequestContext>,
): BuiltRecordType => {
  const nested = new Map<string, GraphQLObjectType>();

  const resolveWith = (field: RecordField) => {
    if (resolvers === undefined) return {};
    const resolve =
      field.kind === 'reference' ? resolvers.reference(definition, field) : resolvers.property(definition, field);
    return { resolve };
  };

  const namedType = (name: string) =>
    requireOutput(
      nested.get(name) ?? surroundings.record(name) ?? surroundings.enum(name) ?? requireStatic(name, surroundings),
    );

  const buildFields = (fields: readonly RecordField[]): FieldMap =>
    Object.fromEntries(
      visibleFields(definition, fields, surroundings).map(({ field, type }) => [
        field.graphqlName,
        {
          type: wrap(namedType(type.name), type.list),
          ...(field.description === undefined ? {} : { description: field.description }),
          ...(field.kind === 'reference' ? { args: buildArguments(referenceArguments(field), surroundings) } : {}),
          ...resolveWith(field),
        },
      ]),
    );

  for (const { typeName, fields } of definition.nestedTypes) {
    nested.set(typeName, new GraphQLObjectType({ name: typeName, fields: () => buildFields(fields) }));
  }
  const record = new GraphQLObjectType<unknown, RequestContext>({
    name: definition.typeName,
    description: recordDescription(definition),
    fields: () => ({
      _dr: {
        type: requireOutput(requireStatic('RecordMetadata', surroundings)),
        ...(resolvers && { resolve: resolvers.metadata(definition) }),
      },
      ...buildFields(definition.fields),
    }),
  });
  const page = new GraphQLObjectType<unknown, RequestContext>({
    name: definition.pageTypeName,
    fields: () => ({
      data: rows ?? { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(record))) },
      page: { type: new GraphQLNonNull(requireOutput(requireStatic('Page', surroundings))) },
    }),
  });
  return {
    record,
    enums: definition.enums.map(buildEnum),
    queryField: {
      type: page,
      description: pageDescription(definition),
      args: buildArguments(queryArguments(definition.domainType), surroundings),
      ...(resolvers && { resolve: resolvers.page(definition) }),
    },
  };
};
