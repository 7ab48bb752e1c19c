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
import { openPacedLines } from './paced-lines.js';

/**
 * Returns the principal of a bearer token. It may add headers to the answer. @throws AppError UNAUTHENTICATED,
 * RATE_LIMITED
 */
export type Authenticate = (
  authorizationHeader: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Principal>;

/** Data of a request that is known before its body is read. */
interface Admission {
  readonly principal: Principal;
  readonly mediaType: string;
  /** Lines of the answer that were passed to the connection; undefined when it has no lines. */
  lines?: number;
}

/** Settings for answers that consist of lines. */
export interface LineAnswers {
  /** Longest time in milliseconds in which a client may read nothing. */
  readonly unreadMs: number;
  /** Called when a client is disconnected because it reads nothing. */
  readonly onUnread: (request: FastifyRequest) => void;
  /** Called when the connection ends before the answer does. */
  readonly onCut: (request: FastifyRequest, reply: FastifyReply) => void;
  /** The last line of an answer when a later line fails. */
  readonly toLastLine: (error: unknown, request: FastifyRequest) => string;
}

const admissionKey = 'fdsAdmission';

type Params = EndpointRequest['params'];
type Handlers = Pick<RouteOptions, 'onRequest' | 'handler'>;

const send = (
  reply: FastifyReply,
  mediaType: string,
  { status, headers }: EndpointAnswer,
  body: string | Readable | undefined,
): FastifyReply => {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status);
  return body === undefined ? reply.send() : reply.type(`${mediaType}; charset=utf-8`).send(body);
};

/** Call it once for each instance whose routes have these handlers. */
export const prepareForEndpoints = (api: FastifyInstance): void => {
  api.decorateRequest(admissionKey, null);
};

/** The caller of a request; undefined before authentication. */
export const callerOf = (request: FastifyRequest): Principal | undefined =>
  request.getDecorator<Admission | null>(admissionKey)?.principal;

/** Lines of the answer that were passed to the connection; undefined when it has no lines. */
export const linesSent = (request: FastifyRequest): number | undefined =>
  request.getDecorator<Admission | null>(admissionKey)?.lines;

/** Opens the body of an answer that consists of lines. @throws the error of its first line */
const openLines = (
  lines: AsyncIterable<string>,
  request: FastifyRequest,
  reply: FastifyReply,
  { unreadMs, onUnread, onCut, toLastLine }: LineAnswers,
): Promise<Readable> => {
  const admission = request.getDecorator<Admission>(admissionKey);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished && admission.lines !== undefined) onCut(request, reply);
  });
  return openPacedLines(lines, reply.raw, {
    unreadMs,
    onLine: () => {
      admission.lines = (admission.lines ?? 0) + 1;
    },
    onUnread: () => onUnread(request),
    toLastLine: (error) => toLastLine(error, request),
  });
};

const openHandlers = (endpoint: OpenEndpoint, authenticate: Authenticate): Handlers => {
  const { serveQuery } = endpoint;
  return {
    handler: async (request, reply) => {
      const { id: requestId, headers } = request;
      const query = request.query as RawQuery;
      const mediaType = chooseMediaType(headers.accept, endpoint.offers);
      if (serveQuery === undefined || Object.keys(query).length === 0) {
        requireNoQuery(query);
        const answer = endpoint.serve();
        return send(reply, mediaType, answer, answer.body);
      }
      const { authorization } = headers;
      const principal = await authenticate(authorization, request, reply);
      const answer = await serveQuery({ principal, requestId, authorization, query });
      return send(reply, mediaType, answer, answer.body);
    },
  };
};

/** Checks that need no body run first: media type, token, permission. */
const permittedHandlers = (
  endpoint: PermittedEndpoint,
  authenticate: Authenticate,
  lineAnswers: LineAnswers,
): Handlers => {
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
        // created on first use, because few requests use it
        get signal() {
          return (signal ??= callerSignal(reply.raw));
        },
        headers: request.headers,
      });
      const { lines, content } = answer;
      if (content !== undefined) {
        if (answer.headers !== undefined) reply.headers(answer.headers);
        return reply.code(answer.status).type(mediaType).send(content);
      }
      const body = lines === undefined ? answer.body : await openLines(lines, request, reply, lineAnswers);
      return send(reply, mediaType, answer, body);
    },
  };
};

/** The handler that fastify calls for an endpoint. */
export const endpointHandlers = (endpoint: Endpoint, authenticate: Authenticate, lineAnswers: LineAnswers): Handlers =>
  endpoint.access === 'open'
    ? openHandlers(endpoint, authenticate)
    : permittedHandlers(endpoint, authenticate, lineAnswers);
