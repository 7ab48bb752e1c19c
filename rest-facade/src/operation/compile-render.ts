import type { PageInfo } from '@fds/graphql';
import type { Shape } from '../answer/answer-shape.js';
import type { EndpointRequest } from '../http/endpoint.js';
import type { QueryRequest } from '../query/compile-query-reader.js';
import { pageLinks } from '../query/page-links.js';
import type { GraphqlRoute } from '../route.js';
import { tokenMembers } from './token-members.js';

interface ListResult {
  readonly data: readonly unknown[];
  readonly page: PageInfo;
}

/** Writes the body of an answer; undefined when the answer has no body. */
export type Render = (result: unknown, query: QueryRequest, request: EndpointRequest) => string | undefined;

const listRender =
  (collection: string, baseUrl: string): Render =>
  (result, { write }, { target }) => {
    const { data, page } = result as ListResult;
    const links = JSON.stringify(pageLinks(baseUrl, target, page));
    const { size, totalElements, totalPages } = page;
    const stand = JSON.stringify({ page: page.page, size, totalElements, totalPages });
    return `{"${collection}":[${data.map(write).join(',')}],"_links":${links},"_page":${stand}}`;
  };

/** The answer has the form of the request: one resource for one, a collection for a list. */
const oneOrManyRender =
  (collection: string): Render =>
  (result, { write }, { body }) => {
    const created = result as readonly unknown[];
    if (Array.isArray(body)) return `{"${collection}":[${created.map(write).join(',')}]}`;
    return write(created[0]);
  };

const tokenRender: Render = (result, { write }, { authorization }) =>
  write({ ...tokenMembers(authorization ?? ''), ...(result as object) });

/** Compiles the function that writes a route's answers. `baseUrl`: scheme and authority that clients see. */
export const compileRender = (route: GraphqlRoute, result: Shape, baseUrl: string): Render => {
  if (route.status === 204) return () => undefined;
  if (route.withTokenClaims === true) return tokenRender;
  if (route.collection === undefined) return (value, { write }) => write(value);
  return result.kind === 'list' ? oneOrManyRender(route.collection) : listRender(route.collection, baseUrl);
};
