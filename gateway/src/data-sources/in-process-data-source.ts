import type { GraphQLDataSource } from '@apollo/gateway';
import type { RequestContext, Subgraph } from '@fds/graphql';
import type { Log } from '@fds/service';
import { createFetchReader } from '../subgraph-server/fetch-reader.js';
import { createSubgraphExecutor } from '../subgraph-server/subgraph-executor.js';

/**
 * Calls a subgraph in this process. Every fetch of an operation gets the same context object, so that the subgraphs'
 * loaders batch across fetches.
 */
export const createInProcessDataSource = (subgraph: Subgraph, log: Log, cacheBytes?: number): GraphQLDataSource => {
  const executeFetch = createSubgraphExecutor(subgraph, createFetchReader(subgraph, cacheBytes), log);
  return {
    process: async ({ request, context }) => {
      const { query = '', variables, operationName } = request;
      return executeFetch({ query, variables, operationName }, context as RequestContext);
    },
  };
};
