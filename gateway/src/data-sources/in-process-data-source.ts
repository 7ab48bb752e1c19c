import type { GraphQLDataSource } from '@apollo/gateway';
import type { RequestContext, Subgraph } from '@fds/graphql';
import type { Log } from '@fds/service';
import { createSubgraphExecutor } from '../subgraph-server/subgraph-executor.js';

/**
 * Calls a subgraph in this process. Every fetch of an operation gets the operation's own context object, so that the
 * subgraphs' loaders batch across fetches.
 */
export const createInProcessDataSource = (subgraph: Subgraph, log: Log, cacheBytes?: number): GraphQLDataSource => {
  const executeFetch = createSubgraphExecutor(subgraph, log, cacheBytes);
  return {
    process: async ({ request, context }) => {
      const { query = '', variables, operationName } = request;
      return executeFetch({ query, variables, operationName }, context as RequestContext);
    },
  };
};
