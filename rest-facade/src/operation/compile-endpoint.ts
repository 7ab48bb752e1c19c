import { AppError } from '@fds/errors';
import type { GraphqlAnswer, GraphqlExecutor } from '@fds/graphql';
import { requireMember, type ListShape, type Shape } from '../answer/answer-shape.js';
import { spreadAlias } from '../answer/compile-shape.js';
import { compileBodyReader, type BodyReader } from '../body/compile-body-reader.js';
import type { EndpointAnswer, EndpointRequest, PermittedEndpoint } from '../http/endpoint.js';
import { compilePath, placeholdersOf } from '../http/fill-path.js';
import { fromGraphqlErrors } from '../problem/to-app-error.js';
import { compileQueryReader } from '../query/compile-query-reader.js';
import { isUuid } from '../query/compile-text-reader.js';
import { selectableOf, type GraphqlRoute } from '../route.js';
import { compileRender } from './compile-render.js';
import { resultAlias, type Operation } from './read-operation.js';
import { requireFed } from './require-fed.js';

export interface CompileOptions {
  readonly executor: GraphqlExecutor;
  /** Scheme and authority the client sees. */
  readonly baseUrl: string;
  /** Shapes in which the resource of the route's path is shown. */
  readonly reads: readonly Shape[];
}

/** What an answer shows of the resource: a list's element, else the result. */
export const resourceShape = (route: GraphqlRoute, { result }: Operation): Shape => {
  if (route.collection === undefined) return result;
  const list = result.kind === 'list' ? result : requireMember(result, 'data');
  return (list as ListShape).element;
};

const pathVariables = (route: GraphqlRoute): ((params: EndpointRequest['params']) => Record<string, unknown>) => {
  const names = placeholdersOf(route.path);
  return (params) => {
    const variables: Record<string, unknown> = {};
    for (const name of names) {
      const value = params[name] ?? '';
      // nothing can be found under what is no UUID
      if (name.endsWith('Uuid') && !isUuid(value)) throw new AppError('NOT_FOUND', `${name} is not a UUID`);
      variables[name] = value;
    }
    return variables;
  };
};

/** The resource an answer holds, for its location: the first of a list, a spread one laid open. */
const locationValues = (result: unknown): Readonly<Record<string, unknown>> => {
  const first = (Array.isArray(result) ? result[0] : result) as Readonly<Record<string, unknown>>;
  return { ...first, ...(first[spreadAlias] as Readonly<Record<string, unknown>> | undefined) };
};

const requireResult = ({ data, errors }: GraphqlAnswer): unknown => {
  if (errors !== undefined && errors.length > 0) throw fromGraphqlErrors(errors);
  const result = data?.[resultAlias];
  if (result === null || result === undefined) throw new AppError('NOT_FOUND', 'there is no such resource');
  return result;
};

/**
 * Compiles a route to an endpoint: everything that does not depend on the request is done here, once.
 *
 * @throws Error when the declaration does not fit its document
 */
export const compileEndpoint = (
  route: GraphqlRoute,
  operation: Operation,
  options: CompileOptions,
): PermittedEndpoint => {
  requireFed(route, operation);
  const { variables, result } = operation;
  const prepared = options.executor.prepare(route.document);
  const shape = resourceShape(route, operation);
  const selectable = selectableOf(route);
  const readPath = pathVariables(route);
  const readQuery = compileQueryReader(route.query ?? {}, variables, { shape, selectable });
  const readBody: BodyReader | undefined =
    route.body === undefined ? undefined : compileBodyReader(route.body, variables, [shape, ...options.reads]);
  const render = compileRender(route, result, options.baseUrl);
  const fillLocation = route.location === undefined ? undefined : compilePath(route.location);
  const { dryRunVariable } = route;

  const locationOf = (value: unknown, { params, body }: EndpointRequest): string | undefined =>
    fillLocation === undefined || Array.isArray(body)
      ? undefined
      : `${options.baseUrl}/api${fillLocation({ ...locationValues(value), ...params })}`;

  const serve = async (request: EndpointRequest): Promise<EndpointAnswer> => {
    const path = readPath(request.params);
    const query = readQuery(request.query);
    const given = { ...path, ...query.variables, ...readBody?.(request.body) };
    const { principal, requestId, authorization } = request;
    const value = requireResult(await prepared.execute(given, { principal, requestId, authorization }));
    const body = render(value, query, request);
    if (dryRunVariable !== undefined && given[dryRunVariable] === true) return { status: 200, body };
    return { status: route.status, body, location: locationOf(value, request) };
  };

  return { declaration: route, access: 'permitted', offers: ['application/json'], serve };
};
