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

/** The resource that the location of an answer is made from: the first of a list, with spread members included. */
const locationValues = (result: unknown): Values => {
  const first = (Array.isArray(result) ? result[0] : result) as Values;
  return { ...first, ...(first[spreadAlias] as Values | undefined) };
};

/** Only the caller may cache an answer, and must revalidate it. */
const cacheControlOf = ({ method, showsSecrets, momentary }: GraphqlRoute): string | undefined => {
  if (showsSecrets === true || momentary === true) return 'no-store';
  return method === 'GET' ? 'private, no-cache' : undefined;
};

/** Compiles the function that creates the headers of a route's answers. `baseUrl`: scheme and authority that clients see. */
export const compileHeaders = (route: GraphqlRoute, baseUrl: string): HeadersOf => {
  const fillLocation = route.location === undefined ? undefined : compilePath(route.location);
  // each created resource has its own location; a replaced list has one
  const createsMany = route.body?.kind === 'oneOrMany';
  const cacheControl = cacheControlOf(route);
  const fixed: Readonly<Record<string, string>> = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  return (result, tag, { params, body }) => {
    const tagged = tag === undefined ? fixed : { etag: tag, ...fixed };
    if (fillLocation === undefined || (createsMany && Array.isArray(body))) return tagged;
    return { ...tagged, location: `${baseUrl}/api${fillLocation({ ...locationValues(result), ...params })}` };
  };
};
