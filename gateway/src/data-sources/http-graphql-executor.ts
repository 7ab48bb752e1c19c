import type { GraphqlExecutor } from '@fds/graphql';
import type { Log } from '@fds/service';
import { answerErrors } from '../errors/answer-errors.js';
import type { GraphqlClient } from './graphql-client.js';

/** The gateway in another process, for a REST facade that runs alone. The client stays the caller's to close. */
export const createHttpGraphqlExecutor = (client: GraphqlClient, log: Log): GraphqlExecutor => ({
  prepare: (query) => ({
    execute: async (variables, context) => {
      try {
        return await client.send({ query, variables }, context);
      } catch (error) {
        return { errors: answerErrors([error], { requestId: context.requestId, log }) };
      }
    },
  }),
});
