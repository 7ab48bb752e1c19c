import type { Readable } from 'node:stream';
import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import { requirePermission } from '@fds/graphql';
import { callerSignal, type Log } from '@fds/service';
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  RouteOptions,
} from 'fastify';
import { decompressBody } from '../body/decompress-body.js';
import { decodeBody, parseBody } from '../body/parse-body.js';
import { toAppError } from '../problem/to-app-error.js';
import type { RawQuery } from '../query/compile-query-reader.js';
import { requireNoQuery } from '../query/require-no-query.js';
import { chooseMediaType } from './accept.js';
import { addRequestIds } from './add-request-ids.js';
import { answerProblem } from './answer-problem.js';
import type { Endpoint, EndpointAnswer, EndpointRequest, OpenEndpoint, PermittedEndpoint } from './endpoint.js';
import { compilePath, pathOf } from './fill-path.js';

/** Verifies the holder of a bearer token; may add headers to the answer. @throws AppError UNAUTHENTICATED, RATE_LIMITED */
export type Authenticate = (
  authorizationHeader: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Principal>;

/** A request that its caller may not make. */
export type OnForbidden = (request: FastifyRequest, principal: Principal, error: AppError) => void;

export interface ApiOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  /** Address of the page of error codes. */
  readonly errorsPage: string;
  readonly maxBodyBytes: number;
  /** Told of every request that its caller may not make. */
  readonly onForbidden?: OnForbidden | undefined;
  readonly log: Log;
}

interface Admission {
  readonly principal: Principal;
  readonly mediaType: string;
}

const admissionKey = 'fdsAdmission';
const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

type Params = EndpointRequest['params'];
type Handlers = Pick<RouteOptions, 'onRequest' | 'handler'>;

const send = (reply: FastifyReply, mediaType: string, { status, headers, body }: EndpointAnswer): FastifyReply => {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status);
  return body === undefined ? reply.send() : reply.type(`${mediaType}; charset=utf-8`).send(body);
};

const openHandlers = (endpoint: OpenEndpoint): Handlers => ({
  handler: async ({ headers, query }, reply) => {
    const mediaType = chooseMediaType(headers.accept, endpoint.offers);
    requireNoQuery(query as RawQuery);
    return send(reply, mediaType, endpoint.serve());
  },
});

/** What can be refused before the body is read is: media type, token, permission. */
const permittedHandlers = (endpoint: PermittedEndpoint, authenticate: Authenticate): Handlers => {
  const { declaration, offers } = endpoint;
  const { action, path } = declaration.permission ?? { action: declaration.method, path: declaration.path };
  const fillPath = compilePath(path);
  return {
    onRequest: async (request, reply) => {
      const mediaType = chooseMediaType(request.headers.accept, offers);
      const principal = await authenticate(request.headers.authorization, request, reply);
      request.setDecorator<Admission>(admissionKey, { principal, mediaType });
      requirePermission(principal, action, fillPath(request.params as Params));
    },
    handler: async (request, reply) => {
      const { principal, mediaType } = request.getDecorator<Admission>(admissionKey);
      const takesFile = 'takes' in endpoint;
      const answer = await endpoint.serve({
        principal,
        mediaType,
        requestId: request.id,
        params: request.params as Params,
        query: request.query as RawQuery,
        body: takesFile ? undefined : (request.body as EndpointRequest['body']),
        stream: takesFile ? (request.body as Readable | undefined) : undefined,
        target: request.url,
        authorization: request.headers.authorization,
        // made when somebody asks for it: few do
        get signal() {
          return callerSignal(reply.raw);
        },
        headers: request.headers,
      });
      return send(reply, mediaType, answer);
    },
  };
};

const byPath = (endpoints: readonly Endpoint[]): Map<string, Endpoint[]> => {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const { path } = endpoint.declaration;
    groups.set(path, [...(groups.get(path) ?? []), endpoint]);
  }
  return groups;
};

/** OPTIONS tells the methods of a path; those it lacks are refused with the same list. */
export const addOtherMethods = (api: FastifyInstance, url: string, present: readonly HTTPMethods[]): void => {
  const allow = methods
    .filter((method) => method === 'OPTIONS' || present.includes(method === 'HEAD' ? 'GET' : method))
    .join(', ');
  const absent = methods.filter((method) => !allow.split(', ').includes(method));
  api.options(url, async (_request, reply) => reply.code(204).header('allow', allow).send());
  api.route({
    url,
    method: absent,
    // before the body is read: what it holds does not matter
    onRequest: async ({ method }) => {
      throw new AppError('METHOD_NOT_ALLOWED', `${method} is not one of ${allow}`, { details: { allow } });
    },
    handler: () => undefined,
  });
};

const addErrorAnswers = (api: FastifyInstance, { errorsPage, onForbidden, log }: ApiOptions): void => {
  api.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    if (error.definition.status >= 500)
      log.error({ requestId: request.id, code: error.code, err: error.cause ?? error }, 'request failed');
    const { principal } = request.getDecorator<Admission | null>(admissionKey) ?? {};
    if (error.code === 'FORBIDDEN' && principal !== undefined) onForbidden?.(request, principal, error);
    return answerProblem(error, request, reply, errorsPage);
  });
  // without a prefix the server's own says it, see addUnknownPaths
  if (api.prefix === '') return;
  api.setNotFoundHandler(({ url }) => {
    throw new AppError('NOT_FOUND', `there is nothing at ${pathOf(url)}`);
  });
};

const addHooks = (api: FastifyInstance, log: Log): void => {
  addRequestIds(api);
  api.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    log.info({ requestId, method, route: routeOptions.url, status: reply.statusCode, ms }, 'request');
    done();
  });
};

/** Files come unread, whatever their media type. */
const addFileRoute = (api: FastifyInstance, route: RouteOptions): void => {
  void api.register(async (files) => {
    files.removeAllContentTypeParsers();
    files.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    files.route(route);
  });
};

/** Serves the endpoints below the prefix it is registered with. Everything it refuses it answers with a problem. */
export const createApiPlugin = (options: ApiOptions): FastifyPluginAsync => {
  const { endpoints, authenticate, maxBodyBytes, log } = options;
  return async (api) => {
    api.decorateRequest(admissionKey, null);
    api.removeAllContentTypeParsers();
    const whole = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const;
    const parse = async ({ headers }: FastifyRequest, body: Buffer) =>
      parseBody(decodeBody(await decompressBody(body, headers['content-encoding'], maxBodyBytes)));
    api.addContentTypeParser('application/json', whole, parse);
    api.addContentTypeParser('application/merge-patch+json', whole, (request: FastifyRequest, body: Buffer) => {
      if (request.method === 'PATCH') return parse(request, body);
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'a merge patch is sent with PATCH');
    });
    addErrorAnswers(api, options);
    addHooks(api, log);
    for (const [path, group] of byPath(endpoints)) {
      const url = toPattern(path);
      for (const endpoint of group) {
        const handlers =
          endpoint.access === 'open' ? openHandlers(endpoint) : permittedHandlers(endpoint, authenticate);
        const route = { method: endpoint.declaration.method, url, bodyLimit: maxBodyBytes, ...handlers };
        if ('takes' in endpoint) addFileRoute(api, route);
        else api.route(route);
      }
      addOtherMethods(
        api,
        url,
        group.map(({ declaration }) => declaration.method),
      );
    }
  };
};
