import type { Subgraph } from '@fds/graphql';
import { isJsonObject, stringifyJson } from '@fds/json';
import { AppError } from '@fds/errors';
import { type Log, requestIdOf } from '@fds/service';
import type { FastifyPluginAsync } from 'fastify';
import { purposeHeader } from '../data-sources/purpose-header.js';
import type { Authenticate } from '../http/authenticate.js';
import { useExactJson } from '../http/exact-json-parser.js';
import { fromFrameworkError } from '../http/framework-error.js';
import { refuseRequest } from '../graphql/graphql-refusal.js';
import { requestContextOf } from '../graphql/request-context.js';
import { createSubgraphExecutor, type SubgraphRequest } from './subgraph-executor.js';

export interface SubgraphRoutesOptions {
  readonly subgraph: Subgraph;
  /** Asked again for every fetch: a subgraph believes no gateway. */
  readonly authenticate: Authenticate;
  readonly log: Log;
  /** Largest body in bytes. Default 64 MiB: entity fetches carry a key for each row of a page. */
  readonly maxBodyBytes?: number;
}

const defaultMaxBodyBytes = 64 * 2 ** 20;

/** @throws AppError VALIDATION_FAILED */
const toSubgraphRequest = (body: unknown): SubgraphRequest => {
  if (!isJsonObject(body) || typeof body.query !== 'string') {
    throw new AppError('VALIDATION_FAILED', 'the body must be an object with `query`');
  }
  const { query, variables, operationName } = body;
  return {
    query,
    variables: isJsonObject(variables) ? variables : undefined,
    operationName: typeof operationName === 'string' ? operationName : undefined,
  };
};

/** `POST /graphql` of a subgraph, for gateways in other processes. Register it below a prefix to serve several. */
export const subgraphRoutes =
  (options: SubgraphRoutesOptions): FastifyPluginAsync =>
  async (app) => {
    const { subgraph, authenticate, log, maxBodyBytes = defaultMaxBodyBytes } = options;
    const executeFetch = createSubgraphExecutor(subgraph, log);
    useExactJson(app);
    app.addHook('onRequest', async (request, reply) => {
      request.id = requestIdOf(request.headers);
      void reply.header('x-request-id', request.id);
    });
    app.setErrorHandler(async (error, request, reply) => refuseRequest(fromFrameworkError(error), request, reply, log));
    app.post('/graphql', { bodyLimit: maxBodyBytes }, async (request, reply) => {
      const principal = await authenticate(request.headers.authorization);
      const purpose = request.headers[purposeHeader] === 'check' ? 'check' : undefined;
      const context = requestContextOf(request, reply, { principal, purpose });
      const answer = await executeFetch(toSubgraphRequest(request.body), context);
      return reply.type('application/json; charset=utf-8').send(stringifyJson(answer));
    });
  };
