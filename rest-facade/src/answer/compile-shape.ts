import {
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import type { LeafFormat, Member, Shape } from './answer-shape.js';

/** Prefix of the alias of a selection whose members REST shows in the parent. A selection that is null adds no members. */
export const spreadAlias = '_spread';
/** Alias of the only selection of an object that REST shows instead of the object. */
const valueAlias = '_value';

const formats: Readonly<Record<string, LeafFormat>> = {
  ID: 'uuid',
  Uuid: 'uuid',
  Int: 'int32',
  Long: 'int64',
  Float: 'number',
  Score: 'number',
  Boolean: 'boolean',
  DateTime: 'dateTime',
  Json: 'json',
};

/** Format of a scalar by the name of its GraphQL type; text for other names. */
export const formatOf = (scalar: string): LeafFormat => formats[scalar] ?? 'text';

/** Fragments of the document, by name. */
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const fieldsOf = (selections: SelectionSetNode, fragments: Fragments): FieldNode[] =>
  selections.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, fragments);
    const fragment = fragments.get(selection.name.value);
    if (fragment === undefined) throw new Error(`the document lacks the fragment "${selection.name.value}"`);
    return fieldsOf(fragment.selectionSet, fragments);
  });

const membersOf = (type: GraphQLObjectType, selections: SelectionSetNode, fragments: Fragments): Member[] =>
  fieldsOf(selections, fragments).flatMap((node): Member[] => {
    const field = type.getFields()[node.name.value];
    if (field === undefined) throw new Error(`"${type.name}" has no field "${node.name.value}"`);
    const name = node.alias?.value ?? node.name.value;
    const shape = compileShape(field.type, node.selectionSet, fragments, field.description ?? undefined);
    if (name.startsWith(spreadAlias) && shape.kind === 'object') {
      return shape.members.map((member) => ({ ...member, within: name, always: !shape.nullable }));
    }
    return [{ name, shape, always: node.directives?.length === 0 }];
  });

/** The shape of the answer to a selection of a document. The document must be valid for the schema. */
export const compileShape = (
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
  description?: string,
): Shape => {
  if (isNonNullType(type)) return { ...compileShape(type.ofType, selections, fragments, description), nullable: false };
  const common = { nullable: true, description };
  if (isListType(type)) {
    return { ...common, kind: 'list', element: compileShape(type.ofType, selections, fragments) };
  }
  if (isObjectType(type) && selections !== undefined) {
    const members = membersOf(type, selections, fragments);
    const [first] = members;
    if (members.length === 1 && first?.name === valueAlias) {
      return { ...common, kind: 'lifted', key: valueAlias, inner: first.shape };
    }
    return { ...common, kind: 'object', type: type.name, members };
  }
  if (isEnumType(type)) {
    return { ...common, kind: 'leaf', format: 'text', values: type.getValues().map(({ name }) => name) };
  }
  return { ...common, kind: 'leaf', format: formatOf(getNamedType(type).name) };
};
