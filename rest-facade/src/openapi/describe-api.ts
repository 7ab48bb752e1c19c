import type { GraphQLSchema } from 'graphql';
import { readOperation, type Operation } from '../operation/read-operation.js';
import type { GraphqlRoute } from '../route.js';
import { graphqlSchemaDescription } from '../routes/graphql-schema-endpoint.js';
import { routeTable } from '../routes/route-table.js';
import { describeRoute, type EndpointDescription } from './describe-endpoint.js';
import { createSchemaRegistry, type SchemaRegistry } from './json-schema.js';
import { selfDescriptions } from './self-endpoints.js';

/** A route with its document held against the schema. */
interface ReadRoute {
  readonly route: GraphqlRoute;
  readonly operation: Operation;
}

/** The whole API, described from the route table and the static API schema. */
export interface ApiDescription {
  readonly routes: readonly ReadRoute[];
  readonly endpoints: readonly EndpointDescription[];
  /** Schemas the endpoints refer to. */
  readonly registry: SchemaRegistry;
}

/** @throws Error when a document does not fit the schema */
export const describeApi = (schema: GraphQLSchema): ApiDescription => {
  const registry = createSchemaRegistry();
  const routes = routeTable.map((route) => ({ route, operation: readOperation(route.document, schema) }));
  const described = routes.map(({ route, operation }) => describeRoute(route, operation, registry));
  return { routes, registry, endpoints: [...described, graphqlSchemaDescription, ...selfDescriptions] };
};
