import { AppError } from '@fds/errors';
import { addOtherMethods, answerProblem, requireUtf8 } from '@fds/rest-facade';
import type { Log } from '@fds/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../http/authenticate.js';
import { fromFrameworkError } from '../http/framework-error.js';
import type { ToolRequest } from './mcp-tools.js';
import type { AskDoor } from './call-tool.js';

export interface McpOptions {
  readonly baseUrl: string;
  readonly version: string;
  /** May tools change something? */
  readonly access: 'read' | 'write';
  /** Origins of pages that may call, besides the service's own. */
  readonly corsOrigins: readonly string[];
  readonly authenticate: Authenticate;
  readonly log: Log;
}

const path = '/mcp';
const maxBodyBytes = 262_144;
const maxDepth = 64;

/** RFC 9728: the place of the metadata of `{base}/mcp`, and the one without its path. */
const metadataPaths = ['/.well-known/oauth-protected-resource', `/.well-known/oauth-protected-resource${path}`];

/** @throws AppError MALFORMED_JSON for a text that would exhaust the stack of its readers */
const requireFlat = (text: string): void => {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') {
      depth += 1;
      if (depth > maxDepth)
        throw new AppError('MALFORMED_JSON', `the body is nested more than ${maxDepth} levels deep`);
    } else if (sign === '}' || sign === ']') depth -= 1;
  }
};

const readBody = ({ headers }: FastifyRequest, body: Buffer): unknown => {
  requireUtf8(headers['content-type'], 'a body');
  const text = body.toString('utf8');
  requireFlat(text);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    throw new AppError('MALFORMED_JSON', error instanceof Error ? error.message : 'the body is not JSON');
  }
  // MCP has no batches since 2025-06-18: one request would be thousands of calls
  if (Array.isArray(message)) throw new AppError('MALFORMED_JSON', 'the body is one message, not a list of them');
  return message;
};

/** A page of another site must not use the hub through the browser of its reader. */
const requireOwnOrigin = (origin: string | undefined, allowed: ReadonlySet<string>): void => {
  if (origin !== undefined && !allowed.has(origin))
    throw new AppError('FORBIDDEN', 'pages of this origin may not use /mcp: see FDS_CORS_ORIGINS');
};

const sendResponse = async (reply: FastifyReply, response: Response): Promise<FastifyReply> => {
  const type = response.headers.get('content-type');
  if (type !== null) void reply.type(type);
  const body = await response.text();
  return reply.code(response.status).send(body === '' ? undefined : body);
};

/** Sends a request to the doors of this process, with the token of the caller. */
const askWith =
  (app: FastifyInstance, authorization: string | undefined): AskDoor =>
  async ({ method, path: url, body }: ToolRequest) => {
    const { statusCode, payload } = await app.inject({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: statusCode, text: payload };
  };

/**
 * MCP by Streamable HTTP at `/mcp`, without sessions: each message is answered by itself, by any process. The library
 * is loaded at the first message.
 */
export const registerMcp = (app: FastifyInstance, options: McpOptions): void => {
  const { baseUrl, corsOrigins, authenticate, log } = options;
  const resource = `${baseUrl}${path}`;
  const metadata = {
    resource,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header'],
    resource_name: 'Federated Data Service',
    resource_documentation: `${baseUrl}/docs`,
  };
  for (const url of metadataPaths) app.get(url, (_request, reply) => reply.send(metadata));
  const challenge = `resource_metadata="${baseUrl}${metadataPaths[1]}"`;
  const allowed = new Set([baseUrl, ...corsOrigins].map((origin) => new URL(origin).origin));
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: maxBodyBytes },
      async (request: FastifyRequest, body: Buffer) => readBody(request, body),
    );
    scope.setErrorHandler((thrown, request, reply) => {
      const given = fromFrameworkError(thrown);
      const error = given instanceof AppError ? given : new AppError('INTERNAL', 'the call failed', { cause: given });
      if (error.definition.status >= 500)
        log.error({ requestId: request.id, code: error.code, err: error.cause ?? error }, 'a call of MCP failed');
      void answerProblem(error, request, reply, `${baseUrl}/docs/errors`);
      const before = reply.getHeader('www-authenticate');
      if (typeof before === 'string') void reply.header('www-authenticate', `${before}, ${challenge}`);
    });
    scope.addHook('onRequest', async (request, reply) => {
      requireOwnOrigin(request.headers.origin, allowed);
      await authenticate(request.headers.authorization, request, reply);
    });
    scope.post(path, async (request, reply) => {
      const { answerMessage } = await import('./answer-message.js');
      const headers = new Headers();
      for (const name of ['accept', 'content-type', 'mcp-protocol-version'] as const) {
        const value = request.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      const ask = askWith(app, request.headers.authorization);
      return sendResponse(reply, await answerMessage({ url: resource, headers, body: request.body, ask, ...options }));
    });
    // GET and DELETE are for sessions, which do not exist here
    addOtherMethods(scope, path, ['POST']);
  });
};
