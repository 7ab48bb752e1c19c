import type { Readable } from 'node:stream';
import type { Principal } from '@fds/auth';
import { requirePermission } from '@fds/graphql';
import { callerSignal } from '@fds/service';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { RawQuery } from '../query/compile-query-reader.js';
import { requireNoQuery } from '../query/require-no-query.js';
import { chooseMediaType } from './accept.js';
import type { Endpoint, EndpointAnswer, EndpointRequest, OpenEndpoint, PermittedEndpoint } from './endpoint.js';
import { compilePath } from './fill-path.js';

/** Verifies the holder of a bearer token; may add headers to the answer. @throws AppError UNAUTHENTICATED, RATE_LIMITED */
export type Authenticate = (
  authorizationHeader: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Principal>;

/** What is known of a request before its body is read. */
interface Admission {
  readonly principal: Principal;
  readonly mediaType: string;
}

const admissionKey = 'fdsAdmission';

type Params = EndpointRequest['params'];
type Handlers = Pick<RouteOptions, 'onRequest' | 'handler'>;

const send = (reply: FastifyReply, mediaType: string, { status, headers, body }: EndpointAnswer): FastifyReply => {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status);
  return body === undefined ? reply.send() : reply.type(`${mediaType}; charset=utf-8`).send(body);
};

/** To be called once for each instance whose routes have these handlers. */
export const prepareForEndpoints = (api: FastifyInstance): void => {
  api.decorateRequest(admissionKey, null);
};

/** Who sends a request; undefined before that is known. */
export const callerOf = (request: FastifyRequest): Principal | undefined =>
  request.getDecorator<Admission | null>(admissionKey)?.principal;

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
      let signal: AbortSignal | undefined;
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
          return (signal ??= callerSignal(reply.raw));
        },
        headers: request.headers,
      });
      return send(reply, mediaType, answer);
    },
  };
};

/** What fastify calls for an endpoint. */
export const endpointHandlers = (endpoint: Endpoint, authenticate: Authenticate): Handlers =>
  endpoint.access === 'open' ? openHandlers(endpoint) : permittedHandlers(endpoint, authenticate);
