import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from '@fds/graphql';
import type { Log } from '@fds/service';
import { GraphQLError, type DocumentNode } from 'graphql';
import { toPublicError } from '../errors/public-error.js';
import { compileCost, type OperationCost } from '../limits/operation-cost.js';
import { requireAffordable, type OperationLimits } from '../limits/operation-limits.js';

/** Refuses operations whose cost is over the limit, before they run. */
export const refuseCostly = (limits: OperationLimits): ApolloServerPlugin<RequestContext> => {
  const costs = new WeakMap<DocumentNode, Map<string, OperationCost>>();
  const costOf = (document: DocumentNode, name: string, compile: () => OperationCost): OperationCost => {
    const known = costs.get(document) ?? new Map<string, OperationCost>();
    costs.set(document, known);
    const cost = known.get(name) ?? compile();
    known.set(name, cost);
    return cost;
  };
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, request, schema }) => {
        const { operationName, variables = {} } = request;
        const cost = costOf(document, operationName ?? '', () => compileCost(schema, document, operationName));
        try {
          requireAffordable(cost(variables), limits);
        } catch (error) {
          const { answer } = toPublicError(error);
          throw new GraphQLError(answer.message, { extensions: { ...answer.extensions, http: { status: 400 } } });
        }
      },
    }),
  };
};

/** Logs what failed, and adds the request's id to the errors. */
export const completeErrors = (log: Log): ApolloServerPlugin<RequestContext> => ({
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { requestId } }) => {
      for (const error of errors) {
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
