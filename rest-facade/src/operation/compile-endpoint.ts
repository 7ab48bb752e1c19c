import { AppError } from '@fds/errors';
import type { GraphqlAnswer, GraphqlExecutor, PageInfo } from '@fds/graphql';
import { requireMember, type ListShape, type Shape } from '../answer/answer-shape.js';
import { spreadAlias } from '../answer/compile-shape.js';
import { compileBodyReader, type BodyReader } from '../body/compile-body-reader.js';
import type { EndpointAnswer, EndpointRequest, PermittedEndpoint } from '../http/endpoint.js';
import { compilePath, placeholdersOf } from '../http/fill-path.js';
import { fromGraphqlErrors } from '../problem/to-app-error.js';
import { compileQueryReader, type QueryRequest } from '../query/compile-query-reader.js';
import { isUuid } from '../query/compile-text-reader.js';
import { pageLinks } from '../query/page-links.js';
import type { GraphqlRoute } from '../route.js';
import { tokenMembers } from '../routes/token-members.js';
import { resultAlias, type Operation } from './read-operation.js';

export interface CompileOptions {
  readonly executor: GraphqlExecutor;
  /** Scheme and authority the client sees. */
  readonly baseUrl: string;
  /** Shapes in which the resource of the route's path is shown. */
  readonly reads: readonly Shape[];
}

interface ListResult {
  readonly data: readonly unknown[];
  readonly page: PageInfo;
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

/** Writes the body of an answer. */
type Render = (result: unknown, query: QueryRequest, request: EndpointRequest) => string | undefined;

const listRender =
  (collection: string, baseUrl: string): Render =>
  (result, { write }, { target }) => {
    const { data, page } = result as ListResult;
    const links = JSON.stringify(pageLinks(baseUrl, target, page));
    const { size, totalElements, totalPages } = page;
    const stand = JSON.stringify({ page: page.page, size, totalElements, totalPages });
    return `{"${collection}":[${data.map(write).join(',')}],"_links":${links},"_page":${stand}}`;
  };

/** Answers as it was asked: one for one, a collection for a list. */
const oneOrManyRender =
  (collection: string): Render =>
  (result, { write }, { body }) => {
    const created = result as readonly unknown[];
    if (Array.isArray(body)) return `{"${collection}":[${created.map(write).join(',')}]}`;
    return write(created[0]);
  };

const tokenRender: Render = (result, { write }, { authorization }) => {
  const claims = JSON.stringify(tokenMembers(authorization ?? ''));
  return `${claims.slice(0, -1)},${write(result).slice(1)}`;
};

const renderOf = (route: GraphqlRoute, result: Shape, baseUrl: string): Render => {
  if (route.status === 204) return () => undefined;
  if (route.withTokenClaims === true) return tokenRender;
  if (route.collection === undefined) return (value, { write }) => write(value);
  return result.kind === 'list' ? oneOrManyRender(route.collection) : listRender(route.collection, baseUrl);
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

const feeds = (route: GraphqlRoute): string[] => {
  const { query = {}, body } = route;
  return [
    ...placeholdersOf(route.path),
    ...[query.filters, query.options, query.parameters].flatMap((names) => Object.values(names ?? {})),
    ...(query.paged === true ? ['page', 'size'] : []),
    ...(query.sort === undefined ? [] : ['sort']),
    ...(query.search === true ? ['query'] : []),
    ...(body === undefined ? [] : body.kind === 'members' ? body.variables : [body.variable]),
  ];
};

/** @throws Error that names the variables nothing feeds, and what feeds none */
const requireFed = (route: GraphqlRoute, { variables }: Operation): void => {
  const fed = new Set(feeds(route));
  const unfed = [...variables.keys()].filter((name) => !fed.has(name));
  const unknown = [...fed].filter((name) => !variables.has(name));
  if (unfed.length + unknown.length === 0) return;
  throw new Error(`${route.operationId}: nothing feeds [${unfed.join()}], not in the document: [${unknown.join()}]`);
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
  const selectable = route.method === 'GET' ? 'fields' : 'whole';
  const readPath = pathVariables(route);
  const readQuery = compileQueryReader(route.query ?? {}, variables, { shape, selectable });
  const readBody: BodyReader | undefined =
    route.body === undefined ? undefined : compileBodyReader(route.body, variables, [shape, ...options.reads]);
  const render = renderOf(route, result, options.baseUrl);
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
    const { principal, requestId } = request;
    const value = requireResult(await prepared.execute(given, { principal, requestId }));
    const body = render(value, query, request);
    if (dryRunVariable !== undefined && given[dryRunVariable] === true) return { status: 200, body };
    return { status: route.status, body, location: locationOf(value, request) };
  };

  return { declaration: route, access: 'permitted', offers: ['application/json'], serve };
};
