import type { GraphQLDataSource } from '@apollo/gateway';
import type { RequestContext } from '@fds/graphql';
import type { GraphqlClient } from './graphql-client.js';

/** Calls a subgraph in another process; it authenticates the caller again. The caller closes the client. */
export const createHttpDataSource = (client: GraphqlClient): GraphQLDataSource => ({
  process: async ({ request, context }) => {
    const { query = '', variables, operationName } = request;
    return client.send({ query, variables, operationName }, context as RequestContext);
  },
});
