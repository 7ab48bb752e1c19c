import type { FetchNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner';
import type { RequestContext } from '@fds/graphql';
import { isEventSource, type EventSource } from '@fds/change-events';
import {
  Kind,
  OperationTypeNode,
  execute,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  parse,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  type GraphQLResolveInfo,
} from 'graphql';
import type { DataSources } from '../data-sources/data-source.js';
import { findLoneFetch } from './lone-fetch.js';
import type { PlannedOperation } from './operation-planner.js';

type Variables = Readonly<Record<string, unknown>>;

/** The plan of a subscription. */
export interface EventPlan {
  /** Fetches the event itself. */
  readonly primary: FetchNode;
  readonly document: DocumentNode;
  readonly field: FieldNode;
  /** The plan of one event: the fetch of its own fields, then those of other subgraphs. */
  readonly whole: QueryPlan;
  /** Does the operation select only fields of the event itself, so that the result of the first fetch is the answer? */
  readonly isLone: boolean;
}

const isSubscription = (node: QueryPlan['node']): node is SubscriptionNode => node?.kind === 'Subscription';

/** @returns undefined for a query or a mutation */
export const readEventPlan = (planned: PlannedOperation): EventPlan | undefined => {
  const { node } = planned.plan;
  if (!isSubscription(node)) return undefined;
  const { primary, rest } = node;
  const document = parse(primary.operation, { noLocation: true });
  const [field] = getOperationAST(document)?.selectionSet.selections ?? [];
  // a subscription has a single root field, and the planner expands fragments
  if (field?.kind !== Kind.FIELD) throw new TypeError('the plan of a subscription begins with its field');
  const whole: QueryPlan = {
    kind: 'QueryPlan',
    node: rest === undefined ? primary : { kind: 'Sequence', nodes: [primary, rest] },
  };
  const isLone = findLoneFetch(whole, planned.document, planned.operationName, planned.schema) !== undefined;
  return { primary, document, field, whole, isLone };
};

const variablesOf = (schema: GraphQLSchema, document: DocumentNode, given: Variables): Record<string, unknown> => {
  const { coerced, errors } = getVariableValues(schema, getOperationAST(document)?.variableDefinitions ?? [], given, {
    maxErrors: 1,
  });
  if (errors !== undefined) throw errors[0] ?? new TypeError('variables do not fit');
  return coerced;
};

/** Calls `subscribe` of the subscription's field. @throws AppError, GraphQLError */
export const openEventSource = async (
  schema: GraphQLSchema,
  { document, field }: EventPlan,
  variables: Variables,
  context: RequestContext,
): Promise<EventSource> => {
  const declared = schema.getRootType(OperationTypeNode.SUBSCRIPTION)?.getFields()[field.name.value];
  if (declared?.subscribe === undefined) throw new TypeError(`${field.name.value} has no source`);
  const args = getArgumentValues(declared, field, variablesOf(schema, document, variables));
  // a source reads only its arguments and its caller
  const source: unknown = await declared.subscribe(undefined, args, context, {} as GraphQLResolveInfo);
  if (!isEventSource(source)) throw new TypeError(`${field.name.value} gave no source of events`);
  return source;
};

/** Resolves the event as the notifications subgraph would. */
export const writeEvent = async (
  schema: GraphQLSchema,
  { document, field }: EventPlan,
  {
    event,
    variables,
    context,
  }: { readonly event: object; readonly variables: Variables; readonly context: RequestContext },
): Promise<ExecutionResult> =>
  execute({
    schema,
    document,
    rootValue: { [field.name.value]: event },
    variableValues: variables,
    contextValue: context,
  });

/** The data sources for a plan whose first fetch has a known result. */
export const withEvent = (dataSources: DataSources, { primary }: EventPlan, written: ExecutionResult): DataSources => {
  const own = dataSources[primary.serviceName];
  return {
    ...dataSources,
    [primary.serviceName]: {
      process: async (options) =>
        options.request.query === primary.operation || own === undefined ? written : own.process(options),
    },
  };
};
