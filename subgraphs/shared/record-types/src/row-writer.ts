import type { RequestContext } from '@fds/graphql';
import {
  Kind,
  isScalarType,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';
import type { RecordField, RecordTypeDefinition, ScalarField } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';

/** A value that graphql-js has to look at: the operation must be run without shortcuts. */
export class UnusualValue extends Error {}

/**
 * Writes the object of an answer from a row, as graphql-js would.
 *
 * @throws UnusualValue, or whatever a scalar says of a value that is not of its type
 */
export type RowWriter = (
  source: unknown,
  context: RequestContext,
  info: GraphQLResolveInfo,
) => Readonly<Record<string, unknown>>;

type MemberWriter = (source: unknown, context: RequestContext, info: GraphQLResolveInfo) => unknown;

export interface RowWriterOptions {
  readonly definition: RecordTypeDefinition;
  readonly resolvers: RecordTypeResolvers;
  /** A scalar by its name. */
  readonly scalar: (name: string) => GraphQLNamedType | undefined;
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

const isPromise = (value: unknown): boolean => typeof value === 'object' && value !== null && 'then' in value;

/** Selections that stand for one field each; undefined when fragments, directives or merging are involved. */
const plainFields = ({ selections }: SelectionSetNode): ReadonlyMap<string, FieldNode> | undefined => {
  const fields = new Map<string, FieldNode>();
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || (selection.directives ?? []).length > 0) return undefined;
    const name = (selection.alias ?? selection.name).value;
    // an assignment to this name does not create a member of the object
    if (fields.has(name) || name === '__proto__') return undefined;
    fields.set(name, selection);
  }
  return fields;
};

/**
 * Compiles a selection of scalars and nested objects; undefined when it has anything else: metadata, cross-references,
 * fragments, directives, a field twice.
 */
export const compileRowWriter = (
  selectionSet: SelectionSetNode | undefined,
  options: RowWriterOptions,
): RowWriter | undefined => {
  const { definition, resolvers, scalar } = options;

  const scalarWriter = (typeName: string): ((value: unknown) => unknown) | undefined => {
    const type = scalar(typeName);
    if (!isScalarType(type)) return undefined;
    if (typeName === 'String') return (value) => (typeof value === 'string' ? value : type.serialize(value));
    return (value) => type.serialize(value);
  };

  const valueWriter = ({ scalar: typeName, enumName }: ScalarField): ((value: unknown) => unknown) | undefined => {
    const listed = definition.enums.find((each) => each.typeName === enumName);
    if (listed === undefined) return scalarWriter(typeName);
    const values = new Set<unknown>(listed.values);
    return (value) => {
      if (values.has(value)) return value;
      throw new UnusualValue(typeName);
    };
  };

  const memberWriter = (
    node: FieldNode,
    typeName: string,
    fields: readonly RecordField[],
  ): MemberWriter | undefined => {
    if (node.name.value === '__typename') return () => typeName;
    const field = fields.find(({ graphqlName }) => graphqlName === node.name.value);
    if (field === undefined || field.kind === 'reference') return undefined;
    const write = field.kind === 'scalar' ? valueWriter(field) : nestedWriter(field.typeName, node);
    if (write === undefined) return undefined;
    const resolve = resolvers.property(definition, field);
    const isList = field.kind === 'nested' && field.list;
    return (source, context, info) => {
      const value = resolve(source, {}, context, info);
      if (isAbsent(value)) return null;
      if (isPromise(value) || Array.isArray(value) !== isList) throw new UnusualValue(field.path);
      if (!isList) return write(value, context, info);
      return (value as readonly unknown[]).map((item) => (isAbsent(item) ? null : write(item, context, info)));
    };
  };

  const objectWriter = (
    selected: SelectionSetNode | undefined,
    typeName: string,
    fields: readonly RecordField[],
  ): RowWriter | undefined => {
    const nodes = selected && plainFields(selected);
    if (nodes === undefined) return undefined;
    const members: (readonly [string, MemberWriter])[] = [];
    for (const [name, node] of nodes) {
      const write = memberWriter(node, typeName, fields);
      if (write === undefined) return undefined;
      members.push([name, write]);
    }
    return (source, context, info) => {
      const written: Record<string, unknown> = {};
      for (const [name, write] of members) written[name] = write(source, context, info);
      return written;
    };
  };

  const nestedWriter = (typeName: string, node: FieldNode): RowWriter | undefined => {
    const nested = definition.nestedTypes.find((each) => each.typeName === typeName);
    return nested && objectWriter(node.selectionSet, typeName, nested.fields);
  };

  return objectWriter(selectionSet, definition.typeName, definition.fields);
};
