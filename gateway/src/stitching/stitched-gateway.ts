import { buildOperationContext, executeQueryPlan } from '@apollo/gateway';
import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import { createRecordTypeRegistry, type RecordTypeDefinition } from '@fds/record-types';
import type { Log } from '@fds/service';
import { GraphQLError, getVariableValues, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { DataSources } from '../data-sources/data-source.js';
import { OperationPlanner, type PlannedOperation } from './operation-planner.js';
import { createStaticSupergraph } from './static-supergraph.js';
import { createVisibleSchemas } from './visible-schemas.js';

type ApolloGatewayInterface = ApolloServerOptionsWithGateway<RequestContext>['gateway'];
type ApolloRequestContext = Parameters<typeof executeQueryPlan>[2];

/** Record types that a caller may see in introspection, by name. */
export type VisibleTypes = 'ALL' | ReadonlySet<string>;

export interface StitchedGatewayOptions {
  /** The checked-in composition of the static parts. */
  readonly supergraphSdl: string;
  /** By the name of the subgraph. Stay the caller's to close. */
  readonly dataSources: DataSources;
  /** Asked for each operation that introspects. Default: all to whoever may read records, else none. */
  readonly visibleTypes?: (principal: Principal) => VisibleTypes;
  readonly log: Log;
}

/** An operation that was validated against the gateway's schema. */
interface ValidOperation {
  readonly document: DocumentNode;
  readonly source: string;
  readonly operationName: string | undefined;
}

/**
 * The static supergraph with record types stitched in as they come and go: nothing is composed again. Operations are
 * planned by `@apollo/query-planner` and run by `@apollo/gateway`, each against a supergraph pruned to what it touches.
 */
export interface StitchedGateway extends ApolloGatewayInterface {
  /** The API schema at present; the same object until something is published. */
  readonly schema: GraphQLSchema;
  /** The API schema without record types. Never changes. */
  readonly staticSchema: GraphQLSchema;
  /** Adds or replaces record types. Shown at the next `publish`. One that clashes with another is logged and left out. */
  putVersions(definitions: Iterable<RecordTypeDefinition>): void;
  /** Removes a record type. Hidden at the next `publish`. */
  removeVersion(typeName: string): void;
  /** Shows what was put and removed. Operations in flight go on as they were planned. */
  publish(): void;
  /** Plans once per text and operation name. @throws GraphQLError when the operation no longer fits */
  plan(operation: ValidOperation): PlannedOperation;
  /** Runs a planned operation. Faults are in `errors`, as the subgraphs or graphql-js made them. */
  run(
    planned: PlannedOperation,
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<ExecutionResult>;
  /** Grows by one whenever a record type was changed or removed; plans made before may be out of date. */
  readonly generation: number;
}

const visibleToReaders = (principal: Principal): VisibleTypes => (principal.permits('GET', '/drs') ? 'ALL' : new Set());

/** Creates the gateway without record types. */
export const createStitchedGateway = (options: StitchedGatewayOptions): StitchedGateway => {
  const { supergraphSdl, dataSources, visibleTypes = visibleToReaders, log } = options;
  const staticSupergraph = createStaticSupergraph(supergraphSdl);
  const registry = createRecordTypeRegistry({ staticSchema: staticSupergraph.apiSchema });
  const planner = new OperationPlanner(staticSupergraph, registry);
  const visibleSchemas = createVisibleSchemas(staticSupergraph.apiSchema);
  const listeners = new Set<Parameters<ApolloGatewayInterface['onSchemaLoadOrUpdate']>[0]>();
  let schema = registry.schema();
  let generation = 0;

  const announce = (listener: Parameters<ApolloGatewayInterface['onSchemaLoadOrUpdate']>[0]): void =>
    listener({ apiSchema: schema, coreSupergraphSdl: supergraphSdl });

  const forget = (typeName: string): void => {
    planner.forget(typeName);
    generation += 1;
  };

  const put = (definition: RecordTypeDefinition): void => {
    const before = registry.find(definition.typeName);
    try {
      registry.put(definition);
    } catch (error) {
      log.error({ err: error, typeName: definition.typeName }, 'a record type cannot be published');
      return;
    }
    if (before !== undefined && registry.find(definition.typeName) !== before) forget(definition.typeName);
  };

  const tryToPlan = (operation: ValidOperation, validatedAgainst: GraphQLSchema): PlannedOperation | GraphQLError => {
    try {
      return planner.plan(validatedAgainst, operation.document, operation.source, operation.operationName);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  };

  /** Runs a planned operation in Apollo Server's own context of the request, or in one of ours. */
  const runIn = (
    planned: PlannedOperation,
    requestContext: ApolloRequestContext,
    context: RequestContext,
  ): Promise<ExecutionResult> => {
    const { document, operationName, plan, supergraph, introspects } = planned;
    const seen = introspects
      ? visibleSchemas.of(schema, registry.definitions(), visibleTypes(context.principal))
      : schema;
    const operationContext = buildOperationContext({
      schema: seen,
      operationDocument: document,
      ...(operationName === undefined ? {} : { operationName }),
    });
    const definitions = operationContext.operation.variableDefinitions ?? [];
    if (definitions.length > 0) {
      const { errors } = getVariableValues(schema, definitions, requestContext.request.variables ?? {});
      if (errors !== undefined) return Promise.resolve({ errors });
    }
    const { graphqlSchema, apiSchema } = supergraph;
    return executeQueryPlan(plan, dataSources, requestContext, operationContext, graphqlSchema, apiSchema);
  };

  return {
    get schema() {
      return schema;
    },
    get generation() {
      return generation;
    },
    staticSchema: staticSupergraph.apiSchema,
    putVersions: (definitions) => {
      for (const definition of definitions) put(definition);
    },
    removeVersion: (typeName) => {
      if (registry.find(typeName) === undefined) return;
      forget(typeName);
      registry.remove(typeName);
    },
    publish: () => {
      const next = registry.schema();
      if (next === schema) return;
      schema = next;
      for (const listener of listeners) announce(listener);
    },
    plan: ({ document, source, operationName }) => planner.plan(schema, document, source, operationName),
    run: (planned, variables, context) => {
      const { document, operationName } = planned;
      const requestContext = {
        request: { variables, ...(operationName === undefined ? {} : { operationName }) },
        document,
        context,
        schema,
        logger: log,
        metrics: {},
      };
      // the members that executeQueryPlan and the data sources read
      return runIn(planned, requestContext as unknown as ApolloRequestContext, context);
    },
    onSchemaLoadOrUpdate: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load: async () => {
      for (const listener of listeners) announce(listener);
      return {
        executor: async (requestContext) => {
          const { document, source, request, schema: validatedAgainst } = requestContext;
          const planned = tryToPlan({ document, source, operationName: request.operationName }, validatedAgainst);
          if (planned instanceof GraphQLError) return { errors: [planned] };
          // two majors of the same interface
          const apolloContext = requestContext as unknown as ApolloRequestContext;
          const { data, errors } = await runIn(planned, apolloContext, requestContext.context as RequestContext);
          return { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors }) };
        },
      };
    },
    stop: async () => undefined,
  };
};
