import { graphqlSchemaDescription } from '../routes/catalog/graphql-schema-endpoint.js';
import { describeRoute, type EndpointDescription } from './describe-endpoint.js';
import { createSchemaRegistry, type SchemaRegistry } from './json-schema.js';
import type { ReadRoute } from './read-routes.js';
import { selfDescriptions } from './self-endpoints.js';

/** The whole API, described from its routes. */
export interface ApiDescription {
  readonly endpoints: readonly EndpointDescription[];
  /** Schemas the endpoints refer to. */
  readonly registry: SchemaRegistry;
}

/**
 * @param others endpoints below `/api` that somebody else serves
 * @throws Error when a route cannot be described
 */
export const describeApi = (
  routes: readonly ReadRoute[],
  others: readonly EndpointDescription[] = [],
): ApiDescription => {
  const registry = createSchemaRegistry();
  const described = routes.map(({ route, operation }) => describeRoute(route, operation, registry));
  return { registry, endpoints: [...described, graphqlSchemaDescription, ...selfDescriptions, ...others] };
};
