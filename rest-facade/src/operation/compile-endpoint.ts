import { AppError } from '@fds/errors';
import type { GraphqlAnswer, GraphqlExecutor, RequestContext } from '@fds/graphql';
import { isUuid } from '@fds/json';
import { requireMember, type ListShape, type Shape } from '../answer/answer-shape.js';
import { compileBodyReader, type BodyReader } from '../body/compile-body-reader.js';
import { Reading } from '../causes/reading.js';
import { completeRefusal, refusalByCauses } from '../causes/refusal.js';
import type { EndpointAnswer, EndpointRequest, PermittedEndpoint } from '../http/endpoint.js';
import { placeholdersOf } from '../http/fill-path.js';
import type { ReadAgain } from '../idempotency/serve-once.js';
import { changeFromVersion } from '../precondition/change-from-version.js';
import { conditionedAnswer } from '../precondition/conditioned-answer.js';
import {
  readAllowedVersions,
  readConditions,
  type AllowedVersions,
  type ReadConditions,
} from '../precondition/read-preconditions.js';
import { fromGraphqlErrors } from '../problem/to-app-error.js';
import { checkEncoding } from '../query/check-encoding.js';
import { compileQueryReader, type QueryRequest } from '../query/compile-query-reader.js';
import { namesOfParameters } from '../query/names-of-parameters.js';
import { selectableOf, type GraphqlRoute } from '../route.js';
import { tokenShape } from './token-members.js';
import { compileHeaders } from './compile-headers.js';
import { compileRender } from './compile-render.js';
import { compileTag } from './compile-tag.js';
import { compileVersionInput, joinVersions } from './compile-version-input.js';
import { resultAlias, type Operation } from './read-operation.js';
import { requireFed } from './require-fed.js';

type Variables = Readonly<Record<string, unknown>>;

/** Another form of a route's answer, whose lines are sent one by one. */
export interface LinesOfEndpoint {
  /** Callers that accept it get lines. */
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * @param locate the place in the request that a place of the document's variables comes from
   * @throws AppError for every refusal, when the first line is pulled
   */
  open(variables: Variables, context: RequestContext, locate: (place: string) => string): AsyncIterable<string>;
}

/** Caches do not store an answer of lines, and proxies do not wait for its end or compress it. */
export const lineHeaders = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };

/**
 * Reads the result of a route's document in a shorter way. Undefined: the document is run with the same context. Every error
 * comes from the document, so both ways have the same errors.
 */
export type ResultReader = (variables: Variables, context: RequestContext) => Promise<unknown>;

export interface CompileOptions {
  readonly executor: GraphqlExecutor;
  /** For a reading route. Default: the document is run for every request. */
  readonly reader?: ResultReader | undefined;
  /** Scheme and authority that clients see. */
  readonly baseUrl: string;
  /** Shapes in which answers show the resource of the route's path. */
  readonly reads: readonly Shape[];
  /** Lets repeated requests that create take effect once; see `serveOnce`. Default: every request is served. */
  readonly withoutRepeats?: (serve: PermittedEndpoint['serve'], readAgain?: ReadAgain) => PermittedEndpoint['serve'];
  readonly lines?: LinesOfEndpoint | undefined;
}

/** The part of an answer that shows the resource: a list's element, otherwise the result. */
export const resourceShape = (route: GraphqlRoute, { result }: Operation): Shape => {
  if (route.withTokenClaims === true) return tokenShape(result);
  if (route.collection === undefined) return result;
  const list = result.kind === 'list' ? result : requireMember(result, 'data');
  return (list as ListShape).element;
};

const pathVariables =
  (names: readonly string[]) =>
  (params: EndpointRequest['params']): Record<string, unknown> => {
    const variables: Record<string, unknown> = {};
    for (const name of names) {
      const value = params[name] ?? '';
      // a value that is not a UUID identifies no resource
      if (name.endsWith('Uuid') && !isUuid(value)) throw new AppError('NOT_FOUND', `${name} is not a UUID`);
      variables[name] = value;
    }
    return variables;
  };

const contextOf = (request: EndpointRequest): RequestContext => ({
  principal: request.principal,
  requestId: request.requestId,
  authorization: request.authorization,
  get signal() {
    return request.signal;
  },
});

export const requireResult = ({ data, errors }: GraphqlAnswer, locate: (place: string) => string): unknown => {
  if (errors !== undefined && errors.length > 0) throw fromGraphqlErrors(errors, locate);
  const result = data?.[resultAlias];
  if (result === null || result === undefined) throw new AppError('NOT_FOUND', 'there is no such resource');
  return result;
};

/** The content of a request, read from all its parts. */
interface ReadRequest {
  readonly reading: Reading;
  readonly query: QueryRequest;
  /** Undefined when the body is so wrong that nothing can be passed on. */
  readonly given: Variables | undefined;
  /** Conditions of a read request. */
  readonly conditions: ReadConditions | undefined;
  /** Versions from which a change may start; undefined when the variables alone decide. */
  readonly versions: AllowedVersions | undefined;
}

/**
 * Compiles a route to an endpoint. Everything that does not depend on the request is computed here, once.
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
  const names = placeholdersOf(route.path);
  const readPath = pathVariables(names);
  const readQuery = compileQueryReader(route.query ?? {}, variables, { shape, selectable });
  const readBody: BodyReader | undefined =
    route.body === undefined ? undefined : compileBodyReader(route.body, variables, [shape, ...options.reads]);
  const render = compileRender(route, result, options.baseUrl);
  const tagOf = compileTag(route, shape);
  const versionInput = compileVersionInput(route, operation);
  const headersOf = compileHeaders(route, options.baseUrl);
  const parameterNames = namesOfParameters(route.query ?? {});
  const locateIn =
    (reading: Reading) =>
    (place: string): string =>
      parameterNames.get(place) ?? reading.locate(place);
  const { dryRunVariable, emptyWithout } = route;
  const { lines } = options;
  const isReading = route.method === 'GET';

  const read = ({ params, target, query: rawQuery, body, headers }: EndpointRequest): ReadRequest => {
    const path = readPath(params);
    const reading = new Reading();
    checkEncoding(target, reading);
    const query = readQuery(rawQuery, reading);
    const members = readBody === undefined ? {} : readBody(body, reading);
    const given = members === undefined ? undefined : { ...path, ...query.variables, ...members };
    if (isReading) return { reading, query, given, conditions: readConditions(headers, reading), versions: undefined };
    const allowed = readAllowedVersions(headers, reading);
    const versions = joinVersions(allowed, versionInput?.given(given ?? {}), reading);
    return { reading, query, given, conditions: undefined, versions };
  };

  const run = async (given: Variables, { reading, versions }: ReadRequest, request: EndpointRequest) => {
    if (options.reader !== undefined) {
      // the document gets the context of the reader, so that it does not read again what the reader has read
      const context = contextOf(request);
      const found = await options.reader(given, context);
      return found ?? requireResult(await prepared.execute(given, context), locateIn(reading));
    }
    const change = async (from: Variables) =>
      requireResult(await prepared.execute(from, contextOf(request)), locateIn(reading));
    if (versions === undefined) return change(given);
    if (versionInput !== undefined) return changeFromVersion(versions, (at) => change(versionInput.put(given, at)));
    // a resource without changeVersion matches no tag, but it may exist
    if (versions === '*') return change(given);
    throw new AppError('PRECONDITION_FAILED', 'the resource has no changeVersion: If-Match cannot hold');
  };

  /** The error of a refused request, with all its faults. */
  const refusal = async ({ reading, given, versions }: ReadRequest, request: EndpointRequest): Promise<AppError> => {
    if (given === undefined) return refusalByCauses(reading.causes);
    const from = versions?.[0];
    const checked = typeof from === 'bigint' && versionInput !== undefined ? versionInput.put(given, from) : given;
    const { errors = [] } = await prepared.execute(checked, { ...contextOf(request), purpose: 'check' });
    const found = errors.map((error) => fromGraphqlErrors([error], locateIn(reading)));
    // the path names no resource, so the missing resource is one that the body names
    const reported = names.length > 0 ? found : found.filter(({ code }) => code !== 'NOT_FOUND');
    return completeRefusal(reading.causes, reported);
  };

  const serve = async (request: EndpointRequest): Promise<EndpointAnswer> => {
    const asked = read(request);
    const { reading, given, query, conditions } = asked;
    if (given === undefined || reading.causes.length > 0) throw await refusal(asked, request);
    if (lines !== undefined && request.mediaType === lines.mediaType) {
      if ('fields' in request.query)
        throw new AppError('INVALID_PARAMETER', 'fields selects members of JSON, and lines are whole', {
          errors: [{ pointer: 'fields', code: 'INVALID_PARAMETER', detail: 'not with application/x-ndjson' }],
        });
      const answered = lines.open(given, contextOf(request), locateIn(reading));
      return { status: 200, headers: lines.headers, lines: answered };
    }
    const value = await run(given, asked, request);
    if (emptyWithout !== undefined && (value as Variables)[emptyWithout] === null) return { status: 204 };
    const body = render(value, query, request);
    if (dryRunVariable !== undefined && given[dryRunVariable] === true) return { status: 200, body };
    const tag = body === undefined ? undefined : tagOf(value, body);
    const answer = { status: route.status, headers: headersOf(value, tag, request), body };
    return conditions === undefined ? answer : conditionedAnswer(answer, tag, conditions);
  };

  const { readAgain } = route;
  const again = readAgain === undefined ? undefined : options.executor.prepare(readAgain.document);
  const showAgain: ReadAgain = async (request, answered) => {
    const uuid = answered.headers?.['location']?.split('/').at(-1);
    if (again === undefined || readAgain === undefined || uuid === undefined) return answered;
    const asked = read(request);
    const answer = await again.execute({ [readAgain.variable]: uuid }, contextOf(request));
    const value = requireResult(answer, locateIn(asked.reading));
    const body = render(value, asked.query, request) ?? '';
    return { ...answered, headers: headersOf(value, tagOf(value, body), request), body };
  };
  const creates = route.method === 'POST' && operation.kind === 'mutation';
  return {
    declaration: route,
    access: 'permitted',
    offers: ['application/json', ...(lines === undefined ? [] : [lines.mediaType])],
    serve:
      creates && options.withoutRepeats !== undefined
        ? options.withoutRepeats(serve, again === undefined ? undefined : showAgain)
        : serve,
  };
};
