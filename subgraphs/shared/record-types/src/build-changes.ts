import type { RequestContext } from '@fds/graphql';
import {
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  Kind,
  isInputType,
  isOutputType,
  parseType,
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  type GraphQLType,
  type TypeNode,
} from 'graphql';
import { changeFields, inputDefinitions, type TypedName } from './record-changes.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';

type FindType = (name: string) => GraphQLNamedType | undefined;

const toType = (node: TypeNode, find: FindType): GraphQLType => {
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(toType(node.type, find));
  if (node.kind === Kind.NON_NULL_TYPE) return new GraphQLNonNull(toType(node.type, find) as GraphQLNamedType);
  const type = find(node.name.value);
  if (type === undefined) throw new TypeError(`there is no type ${node.name.value}`);
  return type;
};

const buildInputs = (list: readonly TypedName[], find: FindType) =>
  Object.fromEntries(
    list.map(({ name, type: text, description }) => {
      const type = toType(parseType(text, { noLocation: true }), find);
      if (!isInputType(type)) throw new TypeError(`${text} is not an input type`);
      return [name, { type, ...(description === undefined ? {} : { description }) }];
    }),
  );

/**
 * Builds the mutations of a record type, with their input types.
 *
 * @param find finds all types but the input types
 */
export const buildChanges = (
  definition: RecordTypeDefinition,
  find: FindType,
  resolvers: RecordTypeResolvers | undefined,
): Readonly<Record<string, GraphQLFieldConfig<unknown, RequestContext>>> => {
  const inputs = new Map<string, GraphQLInputObjectType>();
  const findType: FindType = (name) => inputs.get(name) ?? find(name);
  for (const { typeName, fields } of inputDefinitions(definition)) {
    inputs.set(typeName, new GraphQLInputObjectType({ name: typeName, fields: () => buildInputs(fields, findType) }));
  }
  return Object.fromEntries(
    changeFields(definition).map(({ kind, name, args, type: text, description }) => {
      const type = toType(parseType(text, { noLocation: true }), findType);
      if (!isOutputType(type)) throw new TypeError(`${text} is not an output type`);
      const resolve = resolvers && { resolve: resolvers.change(definition, kind) };
      return [name, { type, description, args: buildInputs(args, findType), ...resolve }];
    }),
  );
};
