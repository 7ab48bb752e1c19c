import { AppError } from '@fds/errors';
import { GraphQLError, Kind, type DocumentNode, type TypeNode, type VariableDefinitionNode } from 'graphql';

/** The size of a document with fragments expanded. */
export interface DocumentSize {
  readonly depth: number;
  /** Includes those of fragments that no operation uses, since they are validated too. */
  readonly fields: number;
  readonly aliases: number;
}

/** Limits of an operation. A document that exceeds a limit is refused before it is validated. */
export interface OperationLimits {
  /** Most tokens of the text. */
  readonly maxTokens: number;
  /** Most operations and fragments. */
  readonly maxDefinitions: number;
  /** Most levels of fields. The standard introspection query has 15. */
  readonly maxDepth: number;
  /** Most fields, with fragments expanded. */
  readonly maxFields: number;
  /** Most aliases, with fragments expanded. */
  readonly maxAliases: number;
  /** Most comparisons of fields and fragments in validation. Their number grows with the square of repeated fields. */
  readonly maxComparisons: number;
  /** Highest cost of introspection, in standard introspection queries. */
  readonly maxIntrospections: number;
  /** Highest number of fields, each multiplied by the page sizes above it. Checked before planning. */
  readonly maxCost: number;
}

export const defaultLimits: OperationLimits = {
  maxTokens: 10_000,
  maxDefinitions: 100,
  maxDepth: 15,
  maxFields: 1000,
  maxAliases: 50,
  maxComparisons: 20_000,
  maxIntrospections: 2,
  maxCost: 100_000,
};

/** A text in quotes of three may have more lines than a document has tokens, and every step of a plan writes each of them again. */
const maxLines = 20_000;

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireFewLines = (source: string): void => {
  let at = -1;
  for (let lines = 0; lines < maxLines; lines += 1) {
    at = source.indexOf('\n', at + 1);
    if (at < 0) return;
  }
  throw new AppError('QUERY_TOO_COMPLEX', `the document has more than ${maxLines} lines`);
};

/** The error of an operation that exceeds a limit. */
export const tooComplex = (what: string, found: number, allowed: number): AppError =>
  new AppError('QUERY_TOO_COMPLEX', `the operation has ${what} ${found}, allowed is ${allowed}`);

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireWithinLimits = (size: DocumentSize, limits: OperationLimits): void => {
  if (size.depth > limits.maxDepth) throw tooComplex('depth', size.depth, limits.maxDepth);
  if (size.fields > limits.maxFields) throw tooComplex('fields', size.fields, limits.maxFields);
  if (size.aliases > limits.maxAliases) throw tooComplex('aliases', size.aliases, limits.maxAliases);
};

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireFewDefinitions = ({ definitions }: DocumentNode, { maxDefinitions }: OperationLimits): void => {
  if (definitions.length > maxDefinitions) throw tooComplex('definitions', definitions.length, maxDefinitions);
};

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireAffordable = (cost: number, { maxCost }: OperationLimits): void => {
  if (cost > maxCost) throw tooComplex('cost', cost, maxCost);
};

/** As for lists in a body of REST. */
const maxElements = 10_000;

const isList = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));

/** Elements of a list, and of the lists in it. */
const countElements = (value: unknown, depth: number): number =>
  Array.isArray(value) && depth > 0
    ? value.reduce<number>((count, inner) => count + countElements(inner, depth - 1), value.length)
    : 0;

/** Lists of lists that the schema may declare. */
const maxLevels = 3;

/** A fault for each variable of a list type whose value has more elements than are read. Values of scalar types have no such bound. */
export const longLists = (
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] =>
  definitions.flatMap((definition) => {
    const { name } = definition.variable;
    if (!isList(definition.type) || !Object.hasOwn(variables, name.value)) return [];
    if (countElements(variables[name.value], maxLevels) <= maxElements) return [];
    return [
      new GraphQLError(`Variable "$${name.value}" has more than ${maxElements} elements.`, { nodes: [definition] }),
    ];
  });
