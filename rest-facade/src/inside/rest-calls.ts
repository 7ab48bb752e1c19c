import { parse as parseQuery } from 'node:querystring';
import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import { requirePermission, type GraphqlExecutor } from '@fds/graphql';
import { parseJson, type JsonValue } from '@fds/json';
import { once } from '@fds/service';
import type { GraphQLSchema } from 'graphql';
import type { Action } from '@fds/access-rules';
import { Refused } from '../configuration/rest-client.js';
import type { EndpointRequest, PermittedEndpoint } from '../http/endpoint.js';
import { compilePath } from '../http/fill-path.js';
import { compileEndpoint, resourceShape } from '../operation/compile-endpoint.js';
import { readOperation } from '../operation/read-operation.js';
import { toAppError } from '../problem/to-app-error.js';
import type { RawQuery } from '../query/compile-query-reader.js';
import { routeTable } from '../routes/route-table.js';

/** The caller of requests inside of the service. */
export interface InsideCaller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** A request to a path below `/api`, with its query string. */
export type RestCall = (caller: InsideCaller, method: Action, target: string, body?: JsonValue) => Promise<JsonValue>;

interface Compiled {
  readonly method: string;
  readonly segments: readonly string[];
  readonly endpoint: () => PermittedEndpoint;
  readonly permission: { readonly action: Action; readonly fill: (params: Readonly<Record<string, string>>) => string };
}

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1);

/** Placeholders with their values; undefined when the path is another one. */
const matchPath = (pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined => {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const given = path[at] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decodeURIComponent(given);
    else if (segment !== given) return undefined;
  }
  return params;
};

const toRefused = (thrown: unknown): unknown => {
  const error = toAppError(thrown);
  if (error.definition.status >= 500) return thrown;
  return new Refused(error.definition.status, error.message, error.code, error.errors);
};

/**
 * Serves requests of the REST API inside of the service: with the same checks, permissions and answers as over HTTP.
 * A refusal is thrown as `Refused`.
 */
export const createRestCalls = ({
  executor,
  schema,
}: {
  readonly executor: GraphqlExecutor;
  readonly schema: GraphQLSchema;
}): RestCall => {
  const routes = routeTable.map((route): Compiled => {
    const { action, path } = route.permission ?? { action: route.method, path: route.path };
    return {
      method: route.method,
      segments: segmentsOf(route.path),
      permission: { action, fill: compilePath(path) },
      endpoint: once(() => {
        const reads = routeTable
          .filter((other) => other.path === route.path)
          .map((other) => resourceShape(other, readOperation(other.document, schema, other.variants)));
        const operation = readOperation(route.document, schema, route.variants);
        return compileEndpoint(route, operation, { executor, baseUrl: '', reads });
      }),
    };
  });

  return async ({ principal, requestId }, method, target, body) => {
    const [path = '', query = ''] = target.split('?', 2);
    const segments = segmentsOf(path);
    for (const { method: own, segments: pattern, endpoint, permission } of routes) {
      const params = own === method ? matchPath(pattern, segments) : undefined;
      if (params === undefined) continue;
      try {
        requirePermission(principal, permission.action, permission.fill(params));
        const request: EndpointRequest = {
          principal,
          requestId,
          params,
          query: { ...parseQuery(query) } as RawQuery,
          body,
          target,
          authorization: undefined,
          signal: new AbortController().signal,
          headers: {},
          mediaType: 'application/json',
        };
        const answer = await endpoint().serve(request);
        return answer.body === undefined ? null : parseJson(answer.body);
      } catch (error) {
        throw toRefused(error);
      }
    }
    throw new AppError('NOT_FOUND', `there is nothing at ${path}`);
  };
};
