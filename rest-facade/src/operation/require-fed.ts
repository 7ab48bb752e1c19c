import { placeholdersOf } from '../http/fill-path.js';
import type { GraphqlRoute } from '../route.js';
import type { Operation } from './read-operation.js';

const feeds = (route: GraphqlRoute, variables: Operation['variables']): string[] => {
  const { query = {}, body } = route;
  return [
    ...placeholdersOf(route.path),
    ...[query.filters, query.options, query.parameters].flatMap((names) => Object.values(names ?? {})),
    ...(query.givenOptions === undefined ? [] : [query.givenOptions]),
    ...(query.paged === true ? ['page', 'size'] : []),
    ...(query.sort === undefined ? [] : ['sort']),
    ...(query.search === true ? ['query'] : []),
    // by If-Match
    ...(route.method === 'GET' || !variables.has('changeVersion') ? [] : ['changeVersion']),
    ...(body === undefined ? [] : body.kind === 'members' ? body.variables : [body.variable]),
  ];
};

/** @throws Error that names the variables without a source, and the sources without a variable */
export const requireFed = (route: GraphqlRoute, { variables }: Operation): void => {
  const fed = new Set(feeds(route, variables));
  const unfed = [...variables.keys()].filter((name) => !fed.has(name));
  const unknown = [...fed].filter((name) => !variables.has(name));
  if (unfed.length + unknown.length === 0) return;
  throw new Error(`${route.operationId}: nothing feeds [${unfed.join()}], not in the document: [${unknown.join()}]`);
};
