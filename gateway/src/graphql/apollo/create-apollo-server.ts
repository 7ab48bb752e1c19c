import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { RequestContext } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import type { Log } from '@fds/service';
import { toPublicError } from '../../errors/public-error.js';
import type { GraphQLSchema } from 'graphql';
import type { InProcessExecutor } from '../../executor/graphql-executor.js';
import { AnsweredError, createApolloGateway } from './apollo-gateway.js';

/** Logs failures of Apollo Server itself, and adds the request's id to the errors. */
const completeErrors = (log: Log): ApolloServerPlugin<RequestContext> => ({
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { requestId } }) => {
      for (const error of errors) {
        if (error instanceof AnsweredError) continue;
        const { answer, fault } = toPublicError(error);
        if (fault !== undefined) log.error({ requestId, err: fault, path: answer.path }, 'an operation failed');
      }
    },
    willSendResponse: async ({ response, contextValue }) => {
      if (response.body.kind !== 'single') return;
      const { singleResult } = response.body;
      if (singleResult.errors === undefined) return;
      singleResult.errors = singleResult.errors.map((error) => ({
        ...error,
        extensions: { ...error.extensions, requestId: contextValue.requestId },
      }));
    },
  }),
});

export interface ApolloServerSettings {
  readonly executor: InProcessExecutor;
  /** The API schema without record types. */
  readonly staticSchema: GraphQLSchema;
  readonly log: Log;
}

/**
 * A browser never sends a bearer token by itself, so a request with a token cannot be forged by another site: GET with
 * a token needs no other header.
 */
const headersOfGenuineRequests = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'];

/** Apollo Server in front of the executor, which validates and limits. The caller starts and stops it. */
export const createApolloServer = ({
  executor,
  staticSchema,
  log,
}: ApolloServerSettings): ApolloServer<RequestContext> =>
  new ApolloServer<RequestContext>({
    gateway: createApolloGateway(executor, staticSchema),
    logger: log,
    nodeEnv: 'production',
    introspection: true,
    csrfPrevention: { requestHeaders: headersOfGenuineRequests },
    // the static schema lacks the record types, so the executor validates
    dangerouslyDisableValidation: true,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    // the executor caches documents itself, within its bound of bytes
    documentStore: null,
    stopOnTerminationSignals: false,
    stringifyResult: stringifyJson,
    formatError: (_formatted, error) => (error instanceof AnsweredError ? error.answer : toPublicError(error).answer),
    plugins: [ApolloServerPluginLandingPageDisabled(), ApolloServerPluginCacheControlDisabled(), completeErrors(log)],
  });
