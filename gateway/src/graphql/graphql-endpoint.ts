import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, stringifyJson } from '@fds/json';
import { noteRequest, requestIdOf, traceIdOf, type Closable, type Log } from '@fds/service';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode, getOperationAST, type GraphQLSchema } from 'graphql';
import type { InProcessExecutor } from '../executor/graphql-executor.js';
import { requireStorableVariables } from '../limits/require-storable-text.js';
import { createAddressOf, type AddressOf } from '../http/address-of.js';
import type { Authenticate } from '../http/authenticate.js';
import { completeFailure } from './apollo/complete-failure.js';
import type { OpenedApollo } from './apollo/open-apollo.js';
import { useExactJson } from '../http/exact-json-parser.js';
import { fromFrameworkError } from '../http/framework-error.js';
import { graphiqlAssets, loadGraphiqlPage } from './graphiql-page.js';
import { refuseRequest, statusOfRefusal } from '../requests/graphql-refusal.js';
import { createGraphqlSocket, type UpgradeHandler } from './socket/graphql-socket.js';
import { dropEmptyOperationName } from './drop-empty-operation-name.js';
import type { SocketBound, SocketLimits } from './socket/socket-limits.js';
import type { SocketSubscriptions } from './subscriptions/open-subscription.js';
import { longAsHeader, readLongAs } from './long-as.js';
import { readPlainRequest, type PlainRequest } from '../requests/plain-request.js';
import { requestContextOf } from '../requests/request-context.js';
import { requireHost } from './require-host.js';

export interface GraphqlEndpointOptions {
  /** Runs the operations, with its limits. */
  readonly executor: InProcessExecutor;
  /** The API schema without record types. */
  readonly staticSchema: GraphQLSchema;
  readonly authenticate: Authenticate;
  /** Address that clients see, where the reader of GraphiQL signs in. Default: the address that the page was loaded from. */
  readonly baseUrl?: string;
  /** Returns the address that a websocket connects from. Default: the address of the peer. */
  readonly addressOf?: AddressOf;
  readonly log: Log;
  /** Without it, subscriptions are refused. */
  readonly subscriptions?: SocketSubscriptions | undefined;
  /** Largest body in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Limits of sockets. A missing one has its default. */
  readonly socketLimits?: Partial<SocketLimits>;
  /** Called for each socket that a limit refuses or ends. */
  readonly onBoundHit?: (bound: SocketBound) => void;
  /** Called for each request that is refused before it becomes an operation. */
  readonly onRefused?: (error: unknown) => void;
}

/** GraphQL at `/graphql`: POST, GET, graphql-ws, and GraphiQL for browsers. */
export interface GraphqlEndpoint extends Closable {
  /** Register it at the root of the server, without a prefix. */
  readonly plugin: FastifyPluginAsync;
  /** Call it with every upgrade of the HTTP server whose path is `/graphql`. */
  readonly handleUpgrade: UpgradeHandler;
  /** Number of open websockets. */
  socketCount(): number;
  /** Ends the sockets and Apollo Server. Open sockets would keep an HTTP server from closing. Idempotent. */
  close(): Promise<void>;
}

const path = '/graphql';
const defaultMaxBodyBytes = 2 ** 20;

/** The document of a request; undefined when it has none. Apollo Server then reports the fault. */
const documentOf = ({ method, query, body }: FastifyRequest): string | undefined => {
  const holder = method === 'GET' ? query : body;
  return isJsonObject(holder) && typeof holder.query === 'string' ? holder.query : undefined;
};

/** Undefined: the document has one operation, or the request has a fault that is reported elsewhere. */
const operationNameOf = ({ method, query, body }: FastifyRequest): string | undefined => {
  const holder = method === 'GET' ? query : body;
  return isJsonObject(holder) && typeof holder.operationName === 'string' && holder.operationName !== ''
    ? holder.operationName
    : undefined;
};

/** The variables of a POST. Those of a GET are text, and Apollo Server parses them. */
const variablesOf = ({ body }: FastifyRequest): unknown => (isJsonObject(body) ? body.variables : undefined);

const isBrowser = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true;

interface Operations {
  /** Apollo Server for requests with these contexts, which the first call starts. */
  readonly apollo: (contextOf: (request: FastifyRequest) => RequestContext) => Promise<OpenedApollo>;
  readonly executor: InProcessExecutor;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly baseUrl: string;
  readonly onRefused: (error: unknown) => void;
}

/** Is it a query sent by GET, or any operation sent by POST? Apollo Server refuses changes by GET. */
const mayRun = async (
  { method }: FastifyRequest,
  executor: InProcessExecutor,
  { query, operationName }: PlainRequest,
  context: RequestContext,
): Promise<boolean> =>
  method === 'POST' ||
  getOperationAST(await executor.read(query, context), operationName)?.operation === OperationTypeNode.QUERY;

/** Authenticated GET and POST. Usual requests go to the executor, all others through Apollo Server. */
const operationsPlugin =
  ({ apollo, executor, authenticate, log, maxBodyBytes, baseUrl, onRefused }: Operations): FastifyPluginAsync =>
  async (app) => {
    const page = loadGraphiqlPage(baseUrl);
    const contexts = new WeakMap<FastifyRequest, RequestContext>();
    const types = new WeakMap<FastifyRequest, string>();

    const requireContext = (request: FastifyRequest): RequestContext => {
      const context = contexts.get(request);
      if (context === undefined) throw new TypeError('the request was not authenticated');
      return context;
    };

    const answerPlain = async (
      { query, variables, operationName, answerType }: PlainRequest,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<string> => {
      const operation = executor.recall(query, operationName);
      const { data, errors } = await operation.execute(variables, requireContext(request));
      if (data === undefined) void reply.code(statusOfRefusal(errors ?? [], answerType));
      void reply.type(`${answerType}; charset=utf-8`);
      return stringifyJson(errors === undefined ? { data } : { errors, data });
    };

    useExactJson(app);
    app.addHook('onRequest', async (request, reply) => {
      request.id = requestIdOf(request.headers);
      void reply.header('x-request-id', request.id).header('cache-control', 'no-store').header('vary', longAsHeader);
    });
    app.setErrorHandler(async (thrown, request, reply) => {
      const error = fromFrameworkError(thrown);
      onRefused(error);
      return refuseRequest(error, request, reply, log);
    });
    app.addHook('onResponse', async (request, reply) => {
      const { id: requestId, method } = request;
      noteRequest(log, {
        requestId,
        method,
        route: path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        actor: contexts.get(request)?.principal.uuid,
        operation: types.get(request),
        traceId: traceIdOf(request.headers),
      });
    });
    app.route({
      method: ['PUT', 'PATCH', 'DELETE'],
      url: path,
      // refuse before the body is read, since the body is not needed
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
        const principal = await authenticate(request.headers.authorization, request, reply);
        const longAs = readLongAs(request.headers[longAsHeader], longAsHeader);
        contexts.set(request, requestContextOf(request, reply, { principal, longAs }));
        return undefined;
      },
      // refuse before Apollo Server validates, which can take long for a large document
      preHandler: async (request) => {
        const source = documentOf(request);
        if (source !== undefined) {
          const document = await executor.read(source, requireContext(request));
          const type = getOperationAST(document, operationNameOf(request))?.operation;
          if (type !== undefined) types.set(request, type);
        }
        requireStorableVariables(variablesOf(request));
      },
      handler: async (request, reply) => {
        const plain = readPlainRequest(request);
        if (plain !== undefined && (await mayRun(request, executor, plain, requireContext(request)))) {
          return answerPlain(plain, request, reply);
        }
        requireHost(request);
        dropEmptyOperationName(request);
        const { answer } = await apollo(requireContext);
        const body: unknown = await answer.call(app, request, reply);
        if (reply.statusCode === 200 || typeof body !== 'string') return body;
        const failure = completeFailure(body, request.id);
        const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
        // a client that only knows application/json gets faults of its document with status 200 (GraphQL over HTTP,
        // 6.4.1)
        if (isJson && reply.statusCode === 400 && failure.isDocumentFault) void reply.code(200);
        return failure.body;
      },
    });
  };

/** Creates the endpoint. Apollo Server is loaded and started with the first request that needs it. */
export const createGraphqlEndpoint = async (options: GraphqlEndpointOptions): Promise<GraphqlEndpoint> => {
  const { executor, staticSchema, authenticate, log, maxBodyBytes = defaultMaxBodyBytes } = options;
  const { addressOf = createAddressOf([]), baseUrl = '' } = options;
  let opened: Promise<OpenedApollo> | undefined;
  const openApollo: Operations['apollo'] = async (contextOf) => {
    const apollo = await import('./apollo/open-apollo.js');
    return apollo.openApollo({ executor, staticSchema, log }, contextOf);
  };
  const socket = createGraphqlSocket({
    executor,
    authenticate,
    addressOf,
    log,
    subscriptions: options.subscriptions,
    limits: { maxMessageBytes: maxBodyBytes, ...options.socketLimits },
    ...(options.onBoundHit === undefined ? {} : { onBoundHit: options.onBoundHit }),
  });
  const operations = operationsPlugin({
    apollo: (contextOf) => (opened ??= openApollo(contextOf)),
    executor,
    authenticate,
    log,
    maxBodyBytes,
    baseUrl,
    onRefused: options.onRefused ?? (() => undefined),
  });

  const close = async (): Promise<void> => {
    await socket.close();
    const apollo = await opened?.catch(() => undefined);
    await apollo?.stop();
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
    socketCount: socket.count,
    close: () => (closing ??= close()),
  };
};
