import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLDataSource } from '@apollo/gateway';
import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import { createRecordTypeRegistry, type RecordTypeDefinition, type RecordTypeUse } from '@fds/record-types';
import { once, type Log } from '@fds/service';
import { GraphQLError, getVariableValues, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { EventSource } from '@fds/change-events';
import type { DataSources } from '../data-sources/data-source.js';
import { cacheShares, defaultCacheBytes } from '../requests/retained-bytes.js';
import { openEventSource, readEventPlan, withEvent, writeEvent } from './event-plan.js';
import type { LoneFetch } from './lone-fetch.js';
import type { OperationPlanner, PlannedOperation } from './operation-planner.js';
import type { ComposedSdl } from './composed-sdl.js';
import { longLists } from '../limits/operation-limits.js';
import { createStaticSupergraph } from './static-supergraph.js';

type Variables = Readonly<Record<string, unknown>>;

/** Faults of variables that one answer lists; a list may have half a million faulty elements. */
const maxVariableErrors = 50;

export interface StitchedGatewayOptions {
  /** The checked-in composition of the static parts. */
  readonly sdl: ComposedSdl;
  /** By the name of the subgraph. The caller closes them. */
  readonly dataSources: DataSources;
  /** May the caller see a record type? Called for the types of each operation, and for all types when it introspects. */
  readonly maySee: (principal: Principal, definition: RecordTypeDefinition) => boolean;
  /**
   * Builds the schema that opens subscriptions and writes their events (`createSubscriptionSchema`). Called once, for the
   * first subscription. Without it, no subscription can be opened.
   */
  readonly buildSubscriptionSchema?: () => GraphQLSchema;
  /** Heap that the caches of this process may retain together. Default: `defaultCacheBytes`. */
  readonly cacheBytes?: number;
  readonly log: Log;
}

/** An open subscription. Its events come from a feed. The subscription selects and writes them. */
interface FollowedSubscription {
  readonly source: EventSource;
  /**
   * Writes an event of the source as the operation selects it. Other subgraphs resolve their fields for the context's
   * principal.
   */
  write(event: object, context: RequestContext): Promise<ExecutionResult>;
}

/** The part of the API schema that an operation is validated against. */
export interface ApiScope {
  readonly schema: GraphQLSchema;
  /** Names of the record types in it. */
  readonly recordTypes: ReadonlySet<string>;
  /** Which operations of the record types it contains. */
  readonly use: RecordTypeUse;
}

/**
 * The static supergraph with record types that are added and removed at run time. Nothing is composed again, and no
 * schema of all types is built. Operations are validated against the part of the schema that they use and the caller
 * may see. `@apollo/query-planner` plans them and `@apollo/gateway` runs them, against a supergraph pruned to the same
 * types.
 */
export interface StitchedGateway {
  /** The API schema without record types. Never changes. */
  readonly staticSchema: GraphQLSchema;
  /** Adds or replaces record types. A record type that clashes with another is logged and left out. */
  putVersions(definitions: Iterable<RecordTypeDefinition>): void;
  /** Removes a record type. Operations in progress continue with their plans. */
  removeVersion(typeName: string): void;
  /** The record types that a caller may see. */
  recordTypesOf(principal: Principal): readonly RecordTypeDefinition[];
  /**
   * The schema that a document is validated against. A record type that the caller may not see is absent, like a type
   * that does not exist. Returns the same schema until something in it changes.
   */
  scopeOf(document: DocumentNode, principal: Principal): ApiScope;
  /** Plans operations. The first call loads the planner, a large library. */
  planner(): Promise<Pick<OperationPlanner, 'plan'>>;
  /** Runs a planned operation. Errors are in `errors`, unchanged from the subgraphs or graphql-js. */
  run(planned: PlannedOperation, variables: Variables, context: RequestContext): Promise<ExecutionResult>;
  /**
   * Opens a planned subscription for the context's principal.
   *
   * @returns errors when its variables do not fit. @throws AppError when the principal may not subscribe
   */
  follow(
    planned: PlannedOperation,
    variables: Variables,
    context: RequestContext,
  ): Promise<FollowedSubscription | { readonly errors: readonly GraphQLError[] }>;
}

const pick = (variables: Variables, names: readonly string[]): Variables => {
  // variables may have any name of the document; without a prototype, `__proto__` is a normal one
  const picked = Object.create(null) as Record<string, unknown>;
  for (const name of names) {
    if (Object.hasOwn(variables, name) && variables[name] !== undefined) picked[name] = variables[name];
  }
  return picked;
};

const needsSocket = (): GraphQLError =>
  new GraphQLError('a subscription needs a websocket (graphql-transport-ws)', {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

/** Creates the gateway without record types. */
export const createStitchedGateway = (options: StitchedGatewayOptions): StitchedGateway => {
  const { sdl, dataSources, maySee, buildSubscriptionSchema, cacheBytes = defaultCacheBytes, log } = options;
  const subscriptionSchemaOf = buildSubscriptionSchema && once(buildSubscriptionSchema);
  const staticSupergraph = createStaticSupergraph(sdl);
  const staticSchema = staticSupergraph.apiSchema;
  const registry = createRecordTypeRegistry({ staticSchema, maxSchemaBytes: cacheBytes * cacheShares.schemas });
  const planner = once(async () => {
    const { OperationPlanner } = await import('./operation-planner.js');
    await nextTurn();
    return new OperationPlanner(staticSupergraph, registry, cacheBytes);
  });

  /** Loading a large library takes a whole piece of work, so other work runs before and after it. */
  const executor = once(async () => {
    await nextTurn();
    const { runQueryPlan } = await import('./run-query-plan.js');
    await nextTurn();
    return runQueryPlan;
  });

  const put = (definition: RecordTypeDefinition): void => {
    try {
      registry.put(definition);
    } catch (error) {
      log.error({ err: error, typeName: definition.typeName }, 'a record type cannot be published');
    }
  };

  const scopeOf = (document: DocumentNode, principal: Principal): ApiScope => {
    const touched = registry.touchedBy(document);
    const use = registry.useOf(document);
    const seen = [...touched].filter((typeName) => {
      const definition = registry.find(typeName);
      return definition !== undefined && maySee(principal, definition);
    });
    if (seen.length === touched.size) return { schema: registry.schemaFor(document), recordTypes: touched, use };
    const recordTypes = new Set(seen);
    return { schema: registry.schemaOf(recordTypes, use), recordTypes, use };
  };

  const recordTypesOf = (principal: Principal): readonly RecordTypeDefinition[] =>
    registry.definitions().filter((definition) => maySee(principal, definition));

  /** Everything that the caller may introspect. */
  const visibleSchema = (principal: Principal): GraphQLSchema => {
    return registry.schemaOf(new Set(recordTypesOf(principal).map(({ typeName }) => typeName)), 'CHANGE');
  };

  const runPlan = async (
    planned: PlannedOperation,
    variables: Variables,
    context: RequestContext,
    sources: DataSources,
  ): Promise<ExecutionResult> => {
    const runQueryPlan = await executor();
    const schema = planned.introspects ? visibleSchema(context.principal) : planned.schema;
    return runQueryPlan({ planned, variables, context, dataSources: sources, schema, log });
  };

  /** The answer of the subgraph is the result if it has no errors. Otherwise the plan runs and shapes the answer. */
  const runLoneFetch = async (
    planned: PlannedOperation,
    { serviceName, query, operationName, variableNames }: LoneFetch,
    variables: Variables,
    context: RequestContext,
  ): Promise<ExecutionResult> => {
    const source = dataSources[serviceName];
    if (source === undefined) return runPlan(planned, variables, context, dataSources);
    const request = { query, variables: pick(variables, variableNames), operationName };
    // only the members that the data sources read
    const fetched = source.process({ request, context } as unknown as Parameters<GraphQLDataSource['process']>[0]);
    const answer = await fetched.catch(() => undefined);
    if (answer?.data && answer.errors === undefined) return { data: answer.data };
    return runPlan(planned, variables, context, { ...dataSources, [serviceName]: { process: () => fetched } });
  };

  const variableErrors = (
    { schema, variableDefinitions }: PlannedOperation,
    variables: Variables,
  ): readonly GraphQLError[] | undefined => {
    if (variableDefinitions.length === 0) return undefined;
    const tooLong = longLists(variableDefinitions, variables);
    if (tooLong.length > 0) return tooLong;
    return getVariableValues(schema, variableDefinitions, variables, { maxErrors: maxVariableErrors }).errors;
  };

  const follow: StitchedGateway['follow'] = async (planned, variables, context) => {
    const errors = variableErrors(planned, variables);
    if (errors !== undefined) return { errors };
    // the subscription schema reads the variables once more
    await nextTurn();
    const plan = readEventPlan(planned);
    if (plan === undefined || subscriptionSchemaOf === undefined)
      throw new TypeError('the operation is not a subscription');
    const subscriptionSchema = subscriptionSchemaOf();
    const source = await openEventSource(subscriptionSchema, plan, variables, context);
    const completed = { ...planned, plan: plan.whole };
    return {
      source,
      write: async (event, eventContext) => {
        const written = await writeEvent(subscriptionSchema, plan, { event, variables, context: eventContext });
        if (plan.isLone && written.errors === undefined) return written;
        return runPlan(completed, variables, eventContext, withEvent(dataSources, plan, written));
      },
    };
  };

  return {
    staticSchema,
    follow,
    putVersions: (definitions) => {
      for (const definition of definitions) put(definition);
    },
    removeVersion: (typeName) => registry.remove(typeName),
    scopeOf,
    recordTypesOf,
    planner,
    run: async (planned, variables, context) => {
      const { loneFetch } = planned;
      if (planned.plan.node?.kind === 'Subscription') return { errors: [needsSocket()] };
      const errors = variableErrors(planned, variables);
      if (errors !== undefined) return { errors };
      return loneFetch === undefined
        ? runPlan(planned, variables, context, dataSources)
        : runLoneFetch(planned, loneFetch, variables, context);
    },
  };
};
