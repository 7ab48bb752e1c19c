import { fragmentsOf } from '@fds/graphql';
import {
  Kind,
  TypeInfo,
  getOperationAST,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

/** The cost of an operation with given variables. */
export type OperationCost = (variables: Readonly<Record<string, unknown>>) => number;

/** Cost of a selection set: a number, and pages whose size is the value of a variable. */
interface Cost {
  readonly constant: number;
  readonly varying: readonly VaryingCost[];
}
interface VaryingCost {
  readonly variable: string;
  /** Size when the variable has no value. */
  readonly standard: number;
  readonly inner: Cost;
}

const free: Cost = { constant: 0, varying: [] };

const plus = (a: Cost, b: Cost): Cost => ({
  constant: a.constant + b.constant,
  varying: b.varying.length === 0 ? a.varying : [...a.varying, ...b.varying],
});

const times = (cost: Cost, size: number): Cost => ({
  constant: cost.constant * size,
  varying: cost.varying.map((part) => ({ ...part, inner: times(part.inner, size) })),
});

const evaluate = ({ constant, varying }: Cost, variables: Readonly<Record<string, unknown>>): number =>
  varying.reduce((total, { variable, standard, inner }) => {
    const given = variables[variable];
    return total + Math.max(0, typeof given === 'number' ? given : standard) * evaluate(inner, variables);
  }, constant);

/**
 * Arguments that give the length of a list, with the length that counts when the argument is missing and the schema has
 * no default. The number of records of a cross-reference without a `limit` is unknown; it counts as ten.
 */
const sizeArguments: ReadonlyMap<string, number> = new Map([
  ['size', 1],
  ['limit', 10],
]);

/**
 * Compiles the cost of an operation: one for each field, multiplied by the `size` of every page and the `limit` of
 * every list of references above it.
 *
 * @param document valid, and within the limit of fields
 */
export const compileCost = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): OperationCost => {
  const operation = getOperationAST(document, operationName);
  if (!operation) return () => 0;
  const fragments = fragmentsOf(document);
  const defaults = new Map(
    (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)] as const] : [],
    ),
  );
  const types = new TypeInfo(schema);

  const paged = (field: FieldNode, inner: Cost): Cost => {
    const declared = types.getFieldDef()?.args.find(({ name }) => sizeArguments.has(name));
    if (declared === undefined) return inner;
    const standard =
      typeof declared.defaultValue === 'number' ? declared.defaultValue : (sizeArguments.get(declared.name) ?? 1);
    const given = field.arguments?.find(({ name }) => name.value === declared.name)?.value;
    if (given?.kind === Kind.INT) return times(inner, Math.max(0, Number(given.value)));
    if (given?.kind !== Kind.VARIABLE) return times(inner, standard);
    const variable = given.name.value;
    return { constant: 0, varying: [{ variable, standard: defaults.get(variable) ?? standard, inner }] };
  };

  const costOfField = (field: FieldNode): Cost => {
    types.enter(field);
    const inner = field.selectionSet === undefined ? free : costOf(field.selectionSet);
    const cost = plus({ constant: 1, varying: [] }, paged(field, inner));
    types.leave(field);
    return cost;
  };

  const costOf = (selectionSet: SelectionSetNode): Cost => {
    types.enter(selectionSet);
    const cost = selectionSet.selections.reduce<Cost>((total, selection) => {
      if (selection.kind === Kind.FIELD) return plus(total, costOfField(selection));
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) return total;
      types.enter(fragment);
      const inner = costOf(fragment.selectionSet);
      types.leave(fragment);
      return plus(total, inner);
    }, free);
    types.leave(selectionSet);
    return cost;
  };

  types.enter(operation);
  const cost = costOf(operation.selectionSet);
  return cost.varying.length === 0 ? () => cost.constant : (variables) => evaluate(cost, variables);
};
