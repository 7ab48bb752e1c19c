import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { RequestContext } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import type { Log } from '@fds/service';
import { toPublicError } from '../errors/public-error.js';
import type { OperationLimits } from '../limits/operation-limits.js';
import type { StitchedGateway } from '../stitching/stitched-gateway.js';
import { completeErrors, refuseCostly } from './apollo-plugins.js';

export interface ApolloServerSettings {
  readonly gateway: StitchedGateway;
  readonly limits: OperationLimits;
  readonly log: Log;
}

/**
 * A bearer token is never sent by a browser on its own, so that a request that carries one is no forgery: GET with a
 * token needs no other header.
 */
const headersOfGenuineRequests = ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'];

/** Apollo Server on the stitched gateway. The caller starts and stops it. */
export const createApolloServer = ({ gateway, limits, log }: ApolloServerSettings): ApolloServer<RequestContext> =>
  new ApolloServer<RequestContext>({
    gateway,
    logger: log,
    nodeEnv: 'production',
    introspection: true,
    csrfPrevention: { requestHeaders: headersOfGenuineRequests },
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    stringifyResult: stringifyJson,
    formatError: (_formatted, error) => toPublicError(error).answer,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      refuseCostly(limits),
      completeErrors(log),
    ],
  });
