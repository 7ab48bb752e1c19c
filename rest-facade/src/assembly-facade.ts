import type { GraphqlExecutor, RequestContext } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import type { Log } from '@fds/service';
import type { FastifyPluginAsync } from 'fastify';
import { coerceInputValue, type GraphQLInputType, type GraphQLSchema } from 'graphql';
import { createApiPlugin, type OnAnswered, type OnForbidden } from './http/api-plugin.js';
import type { Authenticate } from './http/endpoint-handlers.js';
import { compileEndpoint, lineHeaders, type LinesOfEndpoint } from './operation/compile-endpoint.js';
import { readOperation } from './operation/read-operation.js';
import { assemblyRoute } from './routes/records/assembly-route.js';

type Members = Readonly<Record<string, unknown>>;

export interface AssemblyFacadeDependencies {
  /** Runs operations of the assembly subgraph: the gateway's executor, or the subgraph's own. */
  readonly executor: GraphqlExecutor;
  /** A schema that has the field `assemble`. */
  readonly schema: GraphQLSchema;
  /**
   * The lines of a progressive answer. Each is a JSON value. It ends when its iterator is returned early.
   *
   * @param request members of an assembly request that are not null, with the defaults of the schema
   * @throws AppError for every refusal, when the first line is pulled
   */
  readonly assembleLines: (request: Members, context: RequestContext) => AsyncIterable<unknown>;
  /** Verifies the bearer token of a request. @throws AppError UNAUTHENTICATED */
  readonly authenticate: Authenticate;
  /** Address of the assembly service that clients see, without a slash at the end. */
  readonly baseUrl: string;
  /** Address of the page of error codes. */
  readonly errorsPage: string;
  /** Called for every request that the caller may not make. */
  readonly onForbidden?: OnForbidden;
  /** Called after each answer. */
  readonly onAnswered?: OnAnswered;
  /** Called when a client is disconnected because it does not read a progressive answer. */
  readonly onUnread?: () => void;
  readonly log: Log;
  /** Largest body in bytes. */
  readonly maxBodyBytes: number;
  /** Longest time in milliseconds in which a client may leave a progressive answer unread. Default 30 s. */
  readonly unreadMs?: number;
}

const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== null && value !== undefined;

const linesOf = (
  type: GraphQLInputType | undefined,
  assembleLines: AssemblyFacadeDependencies['assembleLines'],
): LinesOfEndpoint => {
  if (type === undefined) throw new Error('the document has no variable $request');
  return {
    mediaType: 'application/x-ndjson',
    headers: lineHeaders,
    open: async function* ({ request }, context) {
      const members = coerceInputValue(request, type) as Members;
      const given = Object.fromEntries(Object.entries(members).filter(isGiven));
      for await (const line of assembleLines(given, context)) yield stringifyJson(line);
    },
  };
};

/** `POST /request` of the assembly service, with the conventions and problems of the REST API. */
export const createAssemblyFacade = (dependencies: AssemblyFacadeDependencies): FastifyPluginAsync => {
  const { executor, schema, assembleLines, baseUrl, unreadMs, onUnread, ...options } = dependencies;
  const operation = readOperation(assemblyRoute.document, schema);
  const lines = linesOf(operation.variables.get('request'), assembleLines);
  const endpoint = compileEndpoint(assemblyRoute, operation, { executor, baseUrl, reads: [], lines });
  return createApiPlugin({ ...options, endpoints: [endpoint], unread: { unreadMs, onUnread } });
};
