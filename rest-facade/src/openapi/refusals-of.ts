import { placeholdersOf } from '../http/fill-path.js';
import type { tagKindOf } from '../operation/compile-tag.js';
import type { EndpointDeclaration, GraphqlRoute } from '../route.js';

/** Names of the document's answers to requests that are refused, by status. */
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

/** A status with which an endpoint refuses a request. */
export type Refusal = keyof typeof refusals;

/** Refusals of an endpoint that only reads resources which exist for every permitted caller. */
export const refusalsOfPermitted: readonly Refusal[] = [400, 401, 403, 406, 429];

type TagKind = ReturnType<typeof tagKindOf>;

/** Does a request name what may not be there: by its path, or by the name of a domain? */
const namesSomething = ({ path, query }: GraphqlRoute): boolean =>
  placeholdersOf(path).length > 0 || Object.values(query?.filters ?? {}).includes('domainName');

/** Statuses with which a route refuses or cannot serve a request, in addition to those of every HTTP server. */
export const refusalsOf = (route: GraphqlRoute, tag: TagKind): readonly Refusal[] => {
  const method: EndpointDeclaration['method'] = route.method;
  const changing: readonly Refusal[] = method === 'GET' ? [] : [409, 413, 415];
  // a resource without a tag cannot be changed on the condition that it has one
  const conditional: readonly Refusal[] = method === 'GET' && tag === 'none' ? [] : [412];
  const mayMiss = route.standsMissing !== true && (namesSomething(route) || method !== 'GET');
  const missing: readonly Refusal[] = mayMiss ? [404] : [];
  return [...refusalsOfPermitted, ...missing, ...changing, ...conditional].toSorted((one, other) => one - other);
};
