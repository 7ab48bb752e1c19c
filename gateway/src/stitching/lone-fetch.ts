import type { QueryPlan } from '@apollo/query-planner';
import { fragmentsOf } from '@fds/graphql';
import {
  Kind,
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  parse,
  print,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
} from 'graphql';

/** A fetch that is the only step of a plan. Its answer equals the answer of the operation, member by member. */
export interface LoneFetch {
  readonly serviceName: string;
  readonly query: string;
  readonly operationName: string | undefined;
  /** Variables that the fetch needs. */
  readonly variableNames: readonly string[];
}

/** A member of an answer: its field, the directives that decide whether it is present, and the members below it. */
interface Member {
  readonly field: string;
  readonly directives: string;
  readonly below: Shape | undefined;
}

/** Members of an answer by name, in order. */
type Shape = ReadonlyMap<string, Member>;

/** Reads the shape of an operation's answer; undefined when the fields alone do not determine it. */
const readShape = (
  document: DocumentNode,
  operationName: string | undefined,
  schema: GraphQLSchema,
): Shape | undefined => {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return undefined;
  const fragments = fragmentsOf(document);

  /** Collects fields by their name in the answer, and expands fragments; false when the result is not certain. */
  const collect = (
    selections: readonly SelectionNode[],
    typeName: string,
    collected: Map<string, FieldNode[]>,
  ): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        collected.set(name, [...(collected.get(name) ?? []), selection]);
        return true;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      const directives = [selection, fragment].flatMap((node) => node?.directives ?? []);
      if (fragment === undefined || directives.length > 0) return false;
      const condition = fragment.typeCondition?.name.value ?? typeName;
      return condition === typeName && collect(fragment.selectionSet.selections, typeName, collected);
    });

  const shapeOf = (selections: readonly SelectionNode[], type: GraphQLObjectType): Shape | undefined => {
    const collected = new Map<string, FieldNode[]>();
    if (!collect(selections, type.name, collected)) return undefined;
    const shape = new Map<string, Member>();
    for (const [name, nodes] of collected) {
      const field = nodes[0]?.name.value ?? '';
      const directives = nodes
        .flatMap((node) => node.directives ?? [])
        .map(print)
        .join(' ');
      // a field that occurs both with and without a directive is merged by special rules
      if (directives !== '' && nodes.length > 1) return undefined;
      const declared = type.getFields()[field];
      const named = declared && getNamedType(declared.type);
      if (isObjectType(named)) {
        const below = shapeOf(
          nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []),
          named,
        );
        if (below === undefined) return undefined;
        shape.set(name, { field, directives, below });
      } else if (isLeafType(named) || (field === '__typename' && type !== root)) {
        shape.set(name, { field, directives, below: undefined });
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
  for (const [name, { field, directives, below }] of one) {
    const [otherName, member] = others.next().value ?? [];
    if (name !== otherName || field !== member?.field || directives !== member.directives) return false;
    if (!areAlike(below, member.below)) return false;
  }
  return true;
};

/**
 * The fetch of a plan that has no other step. It selects exactly the members of the operation, in their order, for all
 * values of the variables. If the subgraph answers without errors, its answer is the answer of the operation.
 *
 * @param schema that the operation is valid against
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
