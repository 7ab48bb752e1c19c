import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { JsonValue } from '@fds/json';
import { callerGone, noteRequest, traceIdOf, type Log } from '@fds/service';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { decompressBody } from '../body/decompress-body.js';
import { decodeBody, parseBody } from '../body/parse-body.js';
import { requireUtf8 } from '../body/require-utf8.js';
import { readYaml } from '../configuration/read-yaml.js';
import { renderProblem } from '../problem/problem.js';
import { toAppError } from '../problem/to-app-error.js';
import { addOtherMethods } from './add-other-methods.js';
import { addRequestIds } from './add-request-ids.js';
import { answerProblem } from './answer-problem.js';
import {
  callerOf,
  endpointHandlers,
  linesSent,
  prepareForEndpoints,
  type Authenticate,
  type LineAnswers,
} from './endpoint-handlers.js';
import type { Endpoint } from './endpoint.js';
import { pathOf } from './fill-path.js';

/** Called for a request that its caller may not make. */
export type OnForbidden = (request: FastifyRequest, principal: Principal, error: AppError) => void;

/** An answer that was sent, or whose client has disconnected. */
export interface Answered {
  readonly status: number;
  /** Lines that were passed to the connection; undefined when the answer has no lines. */
  readonly lines: number | undefined;
  readonly ms: number;
}

export type OnAnswered = (answered: Answered) => void;

export interface ApiOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  /** Address of the page of error codes. */
  readonly errorsPage: string;
  readonly maxBodyBytes: number;
  /** Largest body with documents. Default: `maxBodyBytes`. */
  readonly maxDocumentBytes?: number | undefined;
  /** Called for every request without permission. */
  readonly onForbidden?: OnForbidden | undefined;
  /** Called after each answer. */
  readonly onAnswered?: OnAnswered | undefined;
  /** Settings for clients that do not read the lines of an answer. */
  readonly unread?: {
    /** Longest time in milliseconds in which a client may read nothing. Default 30 s. */
    readonly unreadMs?: number | undefined;
    /** Called when a client is disconnected. */
    readonly onUnread?: (() => void) | undefined;
  };
  readonly log: Log;
}

const defaultUnreadMs = 30_000;

/** Data of a route for the log. */
interface RouteConfig {
  /** `operationId` of the OpenAPI document. */
  readonly operation?: string;
}

const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const byPath = (endpoints: readonly Endpoint[]): Map<string, Endpoint[]> => {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const { path } = endpoint.declaration;
    groups.set(path, [...(groups.get(path) ?? []), endpoint]);
  }
  return groups;
};

/** Parses JSON with exact integers and after decompression, and a merge patch for PATCH only. */
const addBodyParsers = (api: FastifyInstance, maxBodyBytes: number): void => {
  api.removeAllContentTypeParsers();
  const whole = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const;
  const parse = async ({ headers }: FastifyRequest, body: Buffer) => {
    requireUtf8(headers['content-type'], 'a body');
    return parseBody(decodeBody(await decompressBody(body, headers['content-encoding'], maxBodyBytes)));
  };
  api.addContentTypeParser('application/json', whole, parse);
  api.addContentTypeParser('application/merge-patch+json', whole, (request: FastifyRequest, body: Buffer) => {
    if (request.method === 'PATCH') return parse(request, body);
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'a merge patch is sent with PATCH');
  });
};

/** The error of a request. A failure of the service is logged. */
const readFailure = (thrown: unknown, request: FastifyRequest, log: Log): AppError => {
  const error = toAppError(thrown);
  if (error.definition.status >= 500 && thrown !== callerGone)
    log.error({ requestId: request.id, code: error.code, err: error.cause ?? error }, 'request failed');
  return error;
};

const addErrorAnswers = (api: FastifyInstance, { errorsPage, onForbidden, log }: ApiOptions): void => {
  api.setErrorHandler((thrown, request, reply) => {
    const error = readFailure(thrown, request, log);
    const principal = callerOf(request);
    if (error.code === 'FORBIDDEN' && principal !== undefined) onForbidden?.(request, principal, error);
    return answerProblem(error, request, reply, errorsPage);
  });
  // without a prefix, the server handles unknown paths, see addUnknownPaths
  if (api.prefix === '') return;
  api.setNotFoundHandler(({ url }) => {
    throw new AppError('NOT_FOUND', `there is nothing at ${pathOf(url)}`);
  });
};

/** Logs a line for each request. */
const noteAnswer = (request: FastifyRequest, reply: FastifyReply, { onAnswered, log }: ApiOptions): void => {
  const { id: requestId, method, routeOptions } = request;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const status = reply.statusCode;
  const lines = linesSent(request);
  const said = lines === undefined ? {} : { lines, whole: reply.raw.writableFinished };
  noteRequest(log, {
    requestId,
    method,
    route: routeOptions.url,
    status,
    ...said,
    ms,
    actor: callerOf(request)?.uuid,
    operation: (routeOptions.config as RouteConfig).operation,
    traceId: traceIdOf(request.headers),
  });
  onAnswered?.({ status, lines, ms });
};

const lineAnswersOf = (options: ApiOptions): LineAnswers => {
  const { errorsPage, unread = {}, log } = options;
  return {
    unreadMs: unread.unreadMs ?? defaultUnreadMs,
    onUnread: ({ id: requestId }) => {
      log.warn({ requestId }, 'a client that reads nothing was cut off');
      unread.onUnread?.();
    },
    // fastify has no hook for an answer that is aborted
    onCut: (request, reply) => noteAnswer(request, reply, options),
    toLastLine: (thrown, request) => {
      const place = { errorsPage, instance: pathOf(request.url), requestId: request.id };
      return `{"problem":${renderProblem(readFailure(thrown, request, log), place).body}}`;
    },
  };
};

const addHooks = (api: FastifyInstance, options: ApiOptions): void => {
  addRequestIds(api);
  api.addHook('onResponse', (request, reply, done) => {
    noteAnswer(request, reply, options);
    done();
  });
};

/** Passes files on unread, for every media type. */
const addFileRoute = (api: FastifyInstance, route: RouteOptions): void => {
  void api.register(async (files) => {
    files.removeAllContentTypeParsers();
    files.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    files.route(route);
  });
};

const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

const giveWay = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** @throws AppError VALIDATION_FAILED with all faults of the text */
const parseYaml = async (text: string): Promise<JsonValue> => {
  const { documents, faults } = await readYaml(text, giveWay);
  if (faults.length === 0) return documents.map(({ value }) => value);
  const errors = faults.map(({ pointer, code, detail, line }) => ({
    pointer,
    code,
    detail: `line ${line}: ${detail}`,
  }));
  throw new AppError('VALIDATION_FAILED', errors[0]?.detail ?? 'the body is not YAML', { errors });
};

/** A list of documents, in YAML or JSON. */
const addDocumentsRoute = (api: FastifyInstance, route: RouteOptions, maxBytes: number): void => {
  void api.register(async (documents) => {
    documents.removeAllContentTypeParsers();
    const whole = { parseAs: 'buffer', bodyLimit: maxBytes } as const;
    const parser =
      (parse: (text: string) => Promise<JsonValue | undefined>) =>
      async ({ headers }: FastifyRequest, body: Buffer): Promise<unknown> => {
        requireUtf8(headers['content-type'], 'a body');
        const value = await parse(decodeBody(await decompressBody(body, headers['content-encoding'], maxBytes)));
        return Array.isArray(value) ? { documents: value } : value;
      };
    documents.addContentTypeParser('application/json', whole, parser(parseBody));
    documents.addContentTypeParser(yamlTypes, whole, parser(parseYaml));
    documents.route({ ...route, bodyLimit: maxBytes });
  });
};

/** Serves the endpoints below the prefix it is registered with. It answers every refusal with a problem. */
export const createApiPlugin = (options: ApiOptions): FastifyPluginAsync => {
  const { endpoints, authenticate, maxBodyBytes } = options;
  return async (api) => {
    prepareForEndpoints(api);
    addBodyParsers(api, maxBodyBytes);
    addErrorAnswers(api, options);
    const lineAnswers = lineAnswersOf(options);
    addHooks(api, options);
    for (const [path, group] of byPath(endpoints)) {
      const url = toPattern(path);
      for (const endpoint of group) {
        const { method } = endpoint.declaration;
        const route = {
          method,
          url,
          bodyLimit: maxBodyBytes,
          config: { operation: endpoint.declaration.operationId } satisfies RouteConfig,
          ...endpointHandlers(endpoint, authenticate, lineAnswers),
        };
        if ('takes' in endpoint) addFileRoute(api, route);
        else if (endpoint.declaration.takesDocuments === true)
          addDocumentsRoute(api, route, options.maxDocumentBytes ?? maxBodyBytes);
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
