import type { GraphQLDataSource } from '@apollo/gateway';
import type { RequestContext } from '@fds/graphql';
import type { GraphqlClient } from './graphql-client.js';

/** Calls a subgraph in another process; it authenticates the caller again. The client stays the caller's to close. */
export const createHttpDataSource = (client: GraphqlClient): GraphQLDataSource => ({
  process: async ({ request, context }) => {
    const { query = '', variables, operationName } = request;
    // errors are answers already; Apollo's type wants instances of its own
    return (await client.send({ query, variables, operationName }, context as RequestContext)) as Awaited<
      ReturnType<GraphQLDataSource['process']>
    >;
  },
});
