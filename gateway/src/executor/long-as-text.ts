import { fragmentsOf } from '@fds/graphql';
import {
  Kind,
  TypeInfo,
  getNamedType,
  getOperationAST,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

type Data = Readonly<Record<string, unknown>>;

/** Copies an answer and writes its `Long` values as text. */
export type LongWriter = (data: Data) => Data;

/** Members of an answer that are `Long` or contain one, by their name in the answer. */
type LongMembers = Map<string, 'LONG' | LongMembers>;

const writeValue = (value: unknown, member: 'LONG' | LongMembers): unknown => {
  if (Array.isArray(value)) return value.map((item) => writeValue(item, member));
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value === null || value === undefined || member === 'LONG' ? value : writeObject(value as Data, member);
};

const writeObject = (object: Data, members: LongMembers): Data => {
  const written: Record<string, unknown> = Object.create(null);
  for (const name in object) {
    const member = members.get(name);
    written[name] = member === undefined ? object[name] : writeValue(object[name], member);
  }
  return written;
};

/**
 * Finds the `Long` fields of an operation. Fields of the same name in an answer have the same type, even in different
 * object types: validation requires this.
 *
 * @param document valid
 * @returns undefined when the operation has no such field
 */
export const compileLongWriter = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): LongWriter | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const fragments = fragmentsOf(document);
  const types = new TypeInfo(schema);

  const collectField = (field: FieldNode, into: LongMembers): void => {
    types.enter(field);
    const name = (field.alias ?? field.name).value;
    if (field.selectionSet !== undefined) {
      const known = into.get(name);
      const below: LongMembers = known === undefined || known === 'LONG' ? new Map() : known;
      collect(field.selectionSet, below);
      if (below.size > 0) into.set(name, below);
    } else if (getNamedType(types.getType())?.name === 'Long') into.set(name, 'LONG');
    types.leave(field);
  };

  const collect = (selectionSet: SelectionSetNode, into: LongMembers): void => {
    types.enter(selectionSet);
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) {
        collectField(selection, into);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) continue;
      types.enter(fragment);
      collect(fragment.selectionSet, into);
      types.leave(fragment);
    }
    types.leave(selectionSet);
  };

  const members: LongMembers = new Map();
  types.enter(operation);
  collect(operation.selectionSet, members);
  return members.size === 0 ? undefined : (data) => writeObject(data, members);
};
