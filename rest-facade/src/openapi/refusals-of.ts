import { placeholdersOf } from '../http/fill-path.js';
import type { tagKindOf } from '../operation/compile-tag.js';
import type { EndpointDeclaration, GraphqlRoute } from '../route.js';

/** Names of the document's error answers, by status. */
export const refusals = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
} as const;

/** A status of an endpoint's error answers. */
export type Refusal = keyof typeof refusals;

/** Refusals of an endpoint that only reads resources which exist for every permitted caller. */
export const refusalsOfPermitted: readonly Refusal[] = [400, 401, 403, 406, 429];

type TagKind = ReturnType<typeof tagKindOf>;

/** Can the resource of a request be missing, because the request has a path parameter or the name of a domain? */
const namesSomething = ({ path, query }: GraphqlRoute): boolean =>
  placeholdersOf(path).length > 0 || Object.values(query?.filters ?? {}).includes('domainName');

/** Statuses of a route's error answers, in addition to those of every HTTP server. */
export const refusalsOf = (route: GraphqlRoute, tag: TagKind): readonly Refusal[] => {
  const method: EndpointDeclaration['method'] = route.method;
  const changing: readonly Refusal[] = method === 'GET' ? [] : [409, 413, 415];
  // a resource without a tag has no condition that can fail
  const conditional: readonly Refusal[] = method === 'GET' && tag === 'none' ? [] : [412];
  const mayMiss = route.standsMissing !== true && (namesSomething(route) || method !== 'GET');
  const missing: readonly Refusal[] = mayMiss ? [404] : [];
  return [...refusalsOfPermitted, ...missing, ...changing, ...conditional].toSorted((one, other) => one - other);
};
