import type { QueryPlan } from '@apollo/query-planner';
import {
  Kind,
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  parse,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
} from 'graphql';

/** A fetch that is a whole plan, and whose answer is the operation's own, member by member. */
export interface LoneFetch {
  readonly serviceName: string;
  readonly query: string;
  readonly operationName: string | undefined;
  /** Variables that go along. */
  readonly variableNames: readonly string[];
}

/** Members of an answer in their order: name to field, with the members below it. */
type Shape = ReadonlyMap<string, { readonly field: string; readonly below: Shape | undefined }>;

/** Reads the shape of an operation's answer; undefined where it depends on variables or on the types of values. */
const readShape = (
  document: DocumentNode,
  operationName: string | undefined,
  schema: GraphQLSchema,
): Shape | undefined => {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return undefined;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }

  /** Fields by their name in the answer, fragments in their place; false where they are not certain. */
  const collect = (
    selections: readonly SelectionNode[],
    typeName: string,
    collected: Map<string, FieldNode[]>,
  ): boolean =>
    selections.every((selection) => {
      if ((selection.directives ?? []).length > 0) return false;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        collected.set(name, [...(collected.get(name) ?? []), selection]);
        return true;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined || (fragment.directives ?? []).length > 0) return false;
      const condition = fragment.typeCondition?.name.value ?? typeName;
      return condition === typeName && collect(fragment.selectionSet.selections, typeName, collected);
    });

  const shapeOf = (selections: readonly SelectionNode[], type: GraphQLObjectType): Shape | undefined => {
    const collected = new Map<string, FieldNode[]>();
    if (!collect(selections, type.name, collected)) return undefined;
    const shape = new Map<string, { readonly field: string; readonly below: Shape | undefined }>();
    for (const [name, nodes] of collected) {
      const field = nodes[0]?.name.value ?? '';
      const declared = type.getFields()[field];
      const named = declared && getNamedType(declared.type);
      if (isObjectType(named)) {
        const below = shapeOf(
          nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []),
          named,
        );
        if (below === undefined) return undefined;
        shape.set(name, { field, below });
      } else if (isLeafType(named) || (field === '__typename' && type !== root)) {
        shape.set(name, { field, below: undefined });
      } else return undefined;
    }
    return shape;
  };

  return shapeOf(operation.selectionSet.selections, root);
};

const areAlike = (one: Shape | undefined, other: Shape | undefined): boolean => {
  if (one === undefined || other === undefined) return one === other;
  if (one.size !== other.size) return false;
  const others = other.entries();
  for (const [name, { field, below }] of one) {
    const [otherName, member] = others.next().value ?? [];
    if (name !== otherName || field !== member?.field || !areAlike(below, member.below)) return false;
  }
  return true;
};

/**
 * The only fetch of a plan, if there is nothing to do after it: it asks for the very members of the operation, in their
 * order, whatever the variables. What the subgraph answers without errors is the answer then.
 *
 * @param schema which the operation is valid against
 */
export const findLoneFetch = (
  { node }: QueryPlan,
  document: DocumentNode,
  operationName: string | undefined,
  schema: GraphQLSchema,
): LoneFetch | undefined => {
  if (node?.kind !== 'Fetch' || node.requires !== undefined) return undefined;
  const rewrites = [node.inputRewrites, node.outputRewrites, node.contextRewrites].flatMap((list) => list ?? []);
  if (rewrites.length > 0) return undefined;
  const asked = readShape(document, operationName, schema);
  const fetched = readShape(parse(node.operation, { noLocation: true }), undefined, schema);
  if (asked === undefined || !areAlike(asked, fetched)) return undefined;
  return {
    serviceName: node.serviceName,
    query: node.operation,
    operationName: node.operationName,
    variableNames: node.variableUsages ?? [],
  };
};
