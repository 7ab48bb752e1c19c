import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { InProcessExecutor } from '../executor/graphql-executor.js';
import { defaultLimits, type OperationLimits } from '../limits/operation-limits.js';
import { requireStorableVariables } from '../limits/require-storable-text.js';
import type { StitchedGateway } from '../stitching/stitched-gateway.js';
import type { Authenticate } from './authenticate.js';
import { completeFailure } from './complete-failure.js';
import { createApolloServer } from './create-apollo-server.js';
import { useExactJson } from './exact-json-parser.js';
import { fromFrameworkError } from './framework-error.js';
import { graphiqlAssets, loadGraphiqlPage } from './graphiql-page.js';
import { refuseRequest } from './graphql-refusal.js';
import { createGraphqlSocket, type UpgradeHandler } from './graphql-socket.js';
import { requestIdOf } from './request-id.js';

export interface GraphqlEndpointOptions {
  readonly gateway: StitchedGateway;
  /** Runs what comes over sockets, and reads documents. */
  readonly executor: InProcessExecutor;
  readonly authenticate: Authenticate;
  readonly log: Log;
  /** The executor's. Default: `defaultLimits`. */
  readonly limits?: OperationLimits;
  /** Largest body, and largest message of a socket, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** GraphQL at `/graphql`: POST, GET, graphql-ws, and GraphiQL for browsers. */
export interface GraphqlEndpoint extends Closable {
  /** Register it at the root of the server, without a prefix. */
  readonly plugin: FastifyPluginAsync;
  /** To be called with every upgrade of the HTTP server whose path is `/graphql`. */
  readonly handleUpgrade: UpgradeHandler;
  /** Ends the sockets, which would keep an HTTP server from closing, and Apollo Server. Idempotent. */
  close(): Promise<void>;
}

const path = '/graphql';
const defaultMaxBodyBytes = 2 ** 20;

/** The document of a request, if it has one: Apollo Server tells what is wrong with the others. */
const documentOf = ({ method, query, body }: FastifyRequest): string | undefined => {
  const holder = method === 'GET' ? query : body;
  return isJsonObject(holder) && typeof holder.query === 'string' ? holder.query : undefined;
};

/** Variables of a POST; those of a GET are text that Apollo Server reads. */
const variablesOf = ({ body }: FastifyRequest): unknown => (isJsonObject(body) ? body.variables : undefined);

const isBrowser = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true;

interface Operations {
  readonly apollo: ApolloServer<RequestContext>;
  readonly executor: InProcessExecutor;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly maxBodyBytes: number;
}

/** GET and POST, authenticated, through Apollo Server. */
const operationsPlugin =
  ({ apollo, executor, authenticate, log, maxBodyBytes }: Operations): FastifyPluginAsync =>
  async (app) => {
    const page = loadGraphiqlPage();
    const contexts = new WeakMap<FastifyRequest, RequestContext>();

    const requireContext = (request: FastifyRequest): RequestContext => {
      const context = contexts.get(request);
      if (context === undefined) throw new TypeError('the request was not authenticated');
      return context;
    };
    const answer = fastifyApolloHandler<RequestContext>(apollo, {
      context: async (request) => requireContext(request),
    });

    useExactJson(app);
    app.addHook('onRequest', async (request, reply) => {
      request.id = requestIdOf(request.headers);
      void reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    });
    app.setErrorHandler(async (error, request, reply) => refuseRequest(fromFrameworkError(error), request, reply, log));
    app.addHook('onResponse', async ({ id: requestId, method }, reply) => {
      const ms = Math.round(reply.elapsedTime);
      log.info({ requestId, method, route: path, status: reply.statusCode, ms }, 'request');
    });
    app.route({
      method: ['PUT', 'PATCH', 'DELETE'],
      url: path,
      // before the body is read: it does not matter
      onRequest: async (_request, reply) => {
        void reply.header('allow', 'GET, POST');
        throw new AppError('METHOD_NOT_ALLOWED', `${path} has GET and POST`);
      },
      handler: async () => undefined,
    });
    app.route({
      method: ['GET', 'POST'],
      url: path,
      bodyLimit: maxBodyBytes,
      onRequest: async (request, reply) => {
        if (isBrowser(request)) return reply.headers(page.headers).send(page.html);
        const { authorization } = request.headers;
        const principal = await authenticate(authorization);
        contexts.set(request, { principal, requestId: request.id, authorization });
        return undefined;
      },
      // before Apollo Server validates: that can take long for a large document
      preHandler: async (request) => {
        const source = documentOf(request);
        if (source !== undefined) executor.read(source);
        requireStorableVariables(variablesOf(request));
      },
      handler: async (request, reply) => {
        const body: unknown = await answer.call(app, request, reply);
        if (reply.statusCode === 200 || typeof body !== 'string') return body;
        const failure = completeFailure(body, request.id);
        const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
        // a client that only knows application/json gets faults of its document with 200 (GraphQL over HTTP, 6.4.1)
        if (isJson && reply.statusCode === 400 && failure.isDocumentFault) void reply.code(200);
        return failure.body;
      },
    });
  };

/** Creates the endpoint and starts Apollo Server. */
export const createGraphqlEndpoint = async (options: GraphqlEndpointOptions): Promise<GraphqlEndpoint> => {
  const { gateway, executor, authenticate, log, limits = defaultLimits } = options;
  const { maxBodyBytes = defaultMaxBodyBytes } = options;
  const apollo = createApolloServer({ gateway, limits, log });
  await apollo.start();
  const socket = createGraphqlSocket({ executor, authenticate, log, maxMessageBytes: maxBodyBytes });
  const operations = operationsPlugin({ apollo, executor, authenticate, log, maxBodyBytes });

  const close = async (): Promise<void> => {
    await socket.close();
    await apollo.stop();
  };
  let closing: Promise<void> | undefined;
  return {
    plugin: async (app) => {
      // an open socket would keep the server from closing
      app.addHook('preClose', () => socket.close());
      await app.register(graphiqlAssets);
      await app.register(operations);
    },
    handleUpgrade: socket.handleUpgrade,
    close: () => (closing ??= close()),
  };
};
