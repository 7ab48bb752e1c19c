import { fragmentsOf } from '@fds/graphql';
import {
  isInputType,
  Kind,
  OperationTypeNode,
  parse,
  typeFromAST,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Shape } from '../answer/answer-shape.js';
import { applyVariants, type Variants } from '../answer/apply-variants.js';
import { compileShape } from '../answer/compile-shape.js';

/** Alias of the root field whose value is the answer. Other root fields can only make the operation fail. */
export const resultAlias = 'result';

/** The GraphQL document of a route. `findDocumentFaults` reports whether it fits the schema. */
export interface Operation {
  readonly kind: 'query' | 'mutation';
  /** Types of the variables, by name. */
  readonly variables: ReadonlyMap<string, GraphQLInputType>;
  /** Defaults of the arguments of the root field `result`, by name. */
  readonly defaults: ReadonlyMap<string, unknown>;
  /** The shape of the root field `result`. */
  readonly result: Shape;
}

const variablesOf = (operation: OperationDefinitionNode, schema: GraphQLSchema): Map<string, GraphQLInputType> =>
  new Map(
    operation.variableDefinitions?.map(({ variable, type }) => {
      // none of the overloads of typeFromAST accepts every kind of node
      const found = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1] & { kind: Kind.NAMED_TYPE });
      if (!isInputType(found)) throw new Error(`$${variable.name.value} has no input type`);
      return [variable.name.value, found] as const;
    }),
  );

const defaultsOf = (args: readonly GraphQLArgument[]): Map<string, unknown> =>
  new Map(
    args.flatMap(({ name, defaultValue }) => (defaultValue === undefined ? [] : [[name, defaultValue] as const])),
  );

/**
 * @param variants of the resource in the answer; without it, all its members are always shown
 * @throws Error when the document has no `result`, or when one of the parts read here does not fit the schema
 */
export const readOperation = (document: string, schema: GraphQLSchema, variants?: Variants): Operation => {
  const parsed = parse(document, { noLocation: true });
  const operation = parsed.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('the document holds no operation');
  const root = schema.getRootType(operation.operation);
  const field = operation.selectionSet.selections.find(
    (selection) => selection.kind === Kind.FIELD && selection.alias?.value === resultAlias,
  );
  if (field?.kind !== Kind.FIELD) throw new Error(`no root field is called "${resultAlias}"`);
  const definition = root?.getFields()[field.name.value];
  const type = definition?.type;
  if (type === undefined) throw new Error(`the schema has no root field "${field.name.value}"`);
  const result = compileShape(type, field.selectionSet, fragmentsOf(parsed));
  return {
    kind: operation.operation === OperationTypeNode.MUTATION ? 'mutation' : 'query',
    variables: variablesOf(operation, schema),
    defaults: defaultsOf(definition?.args ?? []),
    result: variants === undefined ? result : applyVariants(result, variants),
  };
};
