import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from '@fds/graphql';
import type { Log } from '@fds/service';
import { toPublicError } from '../../errors/public-error.js';
import { AnsweredError } from './apollo-gateway.js';

/** Logs failures of Apollo Server itself, and adds the request's id to the errors. */
export const completeErrors = (log: Log): ApolloServerPlugin<RequestContext> => ({
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
