import type { GraphQLSchema } from 'graphql';
import { readOperation, type Operation } from '../operation/read-operation.js';
import type { GraphqlRoute } from '../route.js';
import { routeTable } from '../routes/route-table.js';

/** A route whose document was read with the types of the schema. */
export interface ReadRoute {
  readonly route: GraphqlRoute;
  readonly operation: Operation;
}

/** The routes of the API. @throws Error when a document has no answer in the schema */
export const readRoutes = (schema: GraphQLSchema): readonly ReadRoute[] =>
  routeTable.map((route) => ({ route, operation: readOperation(route.document, schema, route.variants) }));
