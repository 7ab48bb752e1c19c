import { describe, expect, it } from '@jest/globals';
import type { GraphqlExecutor } from '@fds/graphql';
import { compileEndpoint } from '../operation/compile-endpoint.js';
import { readOperation } from '../operation/read-operation.js';
import { loadStaticSchema } from '../testing/static-schema.js';
import { routeTable } from './route-table.js';

const schema = loadStaticSchema();
const executor: GraphqlExecutor = { prepare: () => ({ execute: async () => ({}) }) };

describe('the route table', () => {
  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s fits the schema and feeds every variable',
    (_, route) => {
      const operation = readOperation(route.document, schema);
      expect(() =>
        compileEndpoint(route, operation, { executor, baseUrl: 'http://localhost', reads: [] }),
      ).not.toThrow();
    },
  );

  it('has no two routes of one method and path, and no two of one operation id', () => {
    const keys = routeTable.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(routeTable.map(({ operationId }) => operationId)).size).toBe(routeTable.length);
  });
});
