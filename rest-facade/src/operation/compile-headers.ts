import { spreadAlias } from '../answer/compile-shape.js';
import type { EndpointRequest } from '../http/endpoint.js';
import { compilePath } from '../http/fill-path.js';
import type { GraphqlRoute } from '../route.js';

type Values = Readonly<Record<string, unknown>>;

/** Headers of an answer in addition to its media type. */
export type HeadersOf = (
  result: unknown,
  tag: string | undefined,
  request: EndpointRequest,
) => Readonly<Record<string, string>>;

/** The resource an answer holds, for its location: the first of a list, a spread one laid open. */
const locationValues = (result: unknown): Values => {
  const first = (Array.isArray(result) ? result[0] : result) as Values;
  return { ...first, ...(first[spreadAlias] as Values | undefined) };
};

/** Caching of answers: only by their owner, who revalidates them. */
const cacheControlOf = ({ method, showsSecrets, momentary }: GraphqlRoute): string | undefined => {
  if (showsSecrets === true || momentary === true) return 'no-store';
  return method === 'GET' ? 'private, no-cache' : undefined;
};

/** Compiles what gives a route's answers their headers. `baseUrl`: scheme and authority the client sees. */
export const compileHeaders = (route: GraphqlRoute, baseUrl: string): HeadersOf => {
  const fillLocation = route.location === undefined ? undefined : compilePath(route.location);
  // each of them has its own location; a list that is replaced has one
  const createsMany = route.body?.kind === 'oneOrMany';
  const cacheControl = cacheControlOf(route);
  const fixed: Readonly<Record<string, string>> = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  return (result, tag, { params, body }) => {
    const tagged = tag === undefined ? fixed : { etag: tag, ...fixed };
    if (fillLocation === undefined || (createsMany && Array.isArray(body))) return tagged;
    return { ...tagged, location: `${baseUrl}/api${fillLocation({ ...locationValues(result), ...params })}` };
  };
};
