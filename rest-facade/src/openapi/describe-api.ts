import { graphqlSchemaDescription } from './graphql-schema-endpoint.js';
import { describeAssembly } from './assembly/describe-assembly.js';
import { describeRoute, type EndpointDescription } from './describe-endpoint.js';
import { createSchemaRegistry, type SchemaRegistry } from './schema-registry.js';
import type { ReadRoute } from './read-routes.js';
import { selfDescriptions } from './self-endpoints.js';

/** The whole API, described from its routes. */
export interface ApiDescription {
  readonly endpoints: readonly EndpointDescription[];
  /** Schemas that the endpoints refer to. */
  readonly registry: SchemaRegistry;
}

/** Parts of the description in addition to the routes. */
export interface FurtherEndpoints {
  /** Endpoints below `/api` that another component serves. */
  readonly others?: readonly EndpointDescription[] | undefined;
  /** Address of the assembly service that clients see; undefined when it is not described. */
  readonly assemblyUrl?: string | undefined;
}

/** @throws Error when a route cannot be described */
export const describeApi = (
  routes: readonly ReadRoute[],
  { others = [], assemblyUrl }: FurtherEndpoints = {},
): ApiDescription => {
  const registry = createSchemaRegistry();
  const described = routes.map(({ route, operation }) => describeRoute(route, operation, registry));
  const assembly = assemblyUrl === undefined ? [] : [describeAssembly(assemblyUrl, registry)];
  return { registry, endpoints: [...described, graphqlSchemaDescription, ...selfDescriptions, ...others, ...assembly] };
};
