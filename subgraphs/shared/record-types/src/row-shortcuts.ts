import type { RequestContext } from '@fds/graphql';
import {
  GraphQLNonNull,
  GraphQLScalarType,
  defaultFieldResolver,
  type DocumentNode,
  type FieldNode,
  type GraphQLFieldConfig,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { namedTypeOf } from './build-record-types.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';
import { UnusualValue, compileRowWriter, type RowWriter } from './row-writer.js';

const isFieldAlone = (selection: SelectionSetNode['selections'][number]): selection is FieldNode =>
  selection.kind === Kind.FIELD && (selection.directives ?? []).length === 0;

const responseName = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** The fields of a selection set, if each stands for itself: no fragments, no directives, none twice. */
const fieldsOf = (selectionSet: SelectionSetNode | undefined): readonly FieldNode[] | undefined => {
  const fields = (selectionSet?.selections ?? []).filter(isFieldAlone);
  const isPlain =
    fields.length === selectionSet?.selections.length && new Set(fields.map(responseName)).size === fields.length;
  return isPlain ? fields : undefined;
};

/**
 * The `data` fields of the pages of record types that a document of one query asks for, by the name of the type;
 * undefined when anything above them is not plain.
 */
const findPlainPages = (
  document: DocumentNode,
  isRecordType: (name: string) => boolean,
): readonly (readonly [typeName: string, data: FieldNode])[] | undefined => {
  const [operation, ...others] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return undefined;
  const roots = fieldsOf(operation.selectionSet);
  if (roots === undefined) return undefined;
  const found: (readonly [string, FieldNode])[] = [];
  for (const root of roots) {
    if (!isRecordType(root.name.value)) continue;
    const members = fieldsOf(root.selectionSet);
    if (members === undefined) return undefined;
    for (const member of members) if (member.name.value === 'data') found.push([root.name.value, member]);
  }
  return found;
};

/** Writers of the rows that documents ask for. */
export interface RowShortcuts {
  /**
   * The `data` field of pages as a leaf: its value is complete. Fails with `UnusualValue` where a row does not fit its
   * types; graphql-js then has to run the operation, to report the fault and its place.
   */
  readonly rows: GraphQLFieldConfig<unknown, RequestContext>;
  /**
   * Compiles the rows that a document asks for. False when the document asks for no rows, or for rows that must be run
   * field by field.
   */
  prepare(document: DocumentNode, find: (typeName: string) => RecordTypeDefinition | undefined): boolean;
}

/** Rows for readers of properties only (see `RecordTypeResolvers.page`). */
const hasProperties = (source: unknown): source is { readonly properties: () => unknown } =>
  typeof source === 'object' && source !== null && 'properties' in source && typeof source.properties === 'function';

const writtenRows = new GraphQLScalarType<unknown, unknown>({ name: 'dr_WrittenRows' });

/**
 * @param staticSchema has the scalars
 * @param resolvers of properties: theirs are the values that are written
 */
export const createRowShortcuts = (staticSchema: GraphQLSchema, resolvers: RecordTypeResolvers): RowShortcuts => {
  const writers = new WeakMap<FieldNode, RowWriter>();
  const scalar = (name: string) => namedTypeOf(name, { staticType: (each) => staticSchema.getType(each) });

  return {
    rows: {
      type: new GraphQLNonNull(writtenRows),
      resolve: async (source, args, context, info) => {
        const rows: unknown = await (hasProperties(source)
          ? source.properties()
          : defaultFieldResolver(source, args, context, info));
        const [node, another] = info.fieldNodes;
        const write = node === undefined || another !== undefined ? undefined : writers.get(node);
        if (write === undefined || !Array.isArray(rows)) throw new UnusualValue(info.fieldName);
        try {
          return rows.map((row) => write(row, context, info));
        } catch (error) {
          throw new UnusualValue(info.fieldName, { cause: error });
        }
      },
    },
    prepare: (document, find) => {
      const pages = findPlainPages(document, (name) => find(name)?.typeName === name);
      if (pages === undefined || pages.length === 0) return false;
      return pages.every(([typeName, node]) => {
        const definition = find(typeName);
        // running an operation again must not ask adaptors again
        if (definition?.domainType !== 'SERVICE_DATA_STORE') return false;
        const write = compileRowWriter(node.selectionSet, { definition, resolvers, scalar });
        if (write !== undefined) writers.set(node, write);
        return write !== undefined;
      });
    },
  };
};
