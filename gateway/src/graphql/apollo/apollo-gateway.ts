import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import type { GraphqlErrorAnswer, RequestContext } from '@fds/graphql';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { InProcessExecutor } from '../../executor/graphql-executor.js';

type ApolloGateway = ApolloServerOptionsWithGateway<RequestContext>['gateway'];
type SchemaListener = Parameters<ApolloGateway['onSchemaLoadOrUpdate']>[0];

/** An error in its public form on its way through Apollo Server. */
export class AnsweredError extends GraphQLError {
  constructor(readonly answer: GraphqlErrorAnswer) {
    super(answer.message, { extensions: answer.extensions ?? null });
  }
}

/**
 * The executor as Apollo Server's gateway. It validates and plans each operation against the current record types. The
 * schema of Apollo Server has only the static part and never changes, so that publishing a record type costs Apollo
 * Server nothing.
 */
export const createApolloGateway = (executor: InProcessExecutor, staticSchema: GraphQLSchema): ApolloGateway => {
  const listeners = new Set<SchemaListener>();
  return {
    onSchemaLoadOrUpdate: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load: async () => {
      for (const listener of listeners) listener({ apiSchema: staticSchema, coreSupergraphSdl: '' });
      return {
        executor: async ({ source, request, context }) => {
          const operation = executor.recall(source, request.operationName);
          const { data, errors } = await operation.execute(request.variables ?? {}, context as RequestContext);
          return {
            ...(data === undefined ? {} : { data }),
            ...(errors === undefined ? {} : { errors: errors.map((error) => new AnsweredError(error)) }),
          };
        },
      };
    },
    stop: async () => undefined,
  };
};
