import type { GraphqlExecutor, Subgraph } from '@fds/graphql';
import type { Log } from '@fds/service';
import { answerErrors } from '../errors/answer-errors.js';
import { requireStorableVariables } from '../limits/require-storable-text.js';
import { createFetchReader } from './fetch-reader.js';
import { createSubgraphExecutor } from './subgraph-executor.js';

/** Runs the documents of a door on one subgraph in this process, without a plan of the gateway. */
export const createDirectExecutor = (subgraph: Subgraph, log: Log): GraphqlExecutor => {
  const execute = createSubgraphExecutor(subgraph, createFetchReader(subgraph), log);
  return {
    prepare: (query) => ({
      execute: async (variables, context) => {
        try {
          requireStorableVariables(variables);
        } catch (error) {
          return { errors: answerErrors([error], { requestId: context.requestId, log }) };
        }
        return execute({ query, variables }, context);
      },
    }),
  };
};
