import { buildOperationContext } from '@apollo/gateway/dist/operationContext.js';
import { executeQueryPlan } from '@apollo/gateway/dist/executeQueryPlan.js';
import type { RequestContext } from '@fds/graphql';
import type { Log } from '@fds/service';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { DataSources } from '../data-sources/data-source.js';
import type { PlannedOperation } from './operation-planner.js';

type ApolloRequestContext = Parameters<typeof executeQueryPlan>[2];

export interface PlanRun {
  readonly planned: PlannedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  readonly dataSources: DataSources;
  /** The schema that introspection shows. */
  readonly schema: GraphQLSchema;
  readonly log: Log;
}

/**
 * Runs a plan with `@apollo/gateway`, which shapes the answer. Import it only when a plan runs: the package includes a
 * telemetry stack as large as the rest of the gateway, and few operations need it.
 */
export const runQueryPlan = (run: PlanRun): Promise<ExecutionResult> => {
  const { planned, variables, context, dataSources, schema, log } = run;
  const { document, operationName, plan } = planned;
  const supergraph = planned.supergraph();
  const name = operationName === undefined ? {} : { operationName };
  const requestContext = {
    request: { variables, ...name },
    document,
    context,
    schema: planned.schema,
    logger: log,
    metrics: {},
  };
  return executeQueryPlan(
    plan,
    dataSources,
    // only the members that executeQueryPlan and the data sources read
    requestContext as unknown as ApolloRequestContext,
    buildOperationContext({ schema, operationDocument: document, ...name }),
    supergraph.graphqlSchema,
    supergraph.apiSchema,
  );
};
