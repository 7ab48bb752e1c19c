import { describe, expect, it } from '@jest/globals';
import type { GraphqlExecutor } from '@fds/graphql';
import { compileEndpoint } from '../operation/compile-endpoint.js';
import { readOperation } from '../operation/read-operation.js';
import { findDocumentFaults } from '../testing/find-document-faults.js';
import { loadStaticSchema } from '../testing/static-schema.js';
import { assemblyRoute } from './records/assembly-route.js';
import { routeTable } from './route-table.js';

const schema = loadStaticSchema();
const executor: GraphqlExecutor = { prepare: () => ({ execute: async () => ({}) }) };

describe('the route table', () => {
  it.each([...routeTable, assemblyRoute].map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s fits the schema and supplies every variable',
    (_, route) => {
      expect(findDocumentFaults(route.document, schema)).toEqual([]);
      const operation = readOperation(route.document, schema, route.variants);
      expect(() =>
        compileEndpoint(route, operation, { executor, baseUrl: 'http://localhost', reads: [] }),
      ).not.toThrow();
    },
  );

  it('has no two routes with the same method and path, and no two with the same operation id', () => {
    const keys = routeTable.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(routeTable.map(({ operationId }) => operationId)).size).toBe(routeTable.length);
  });
});
