import type { GraphqlRoute } from '../../route.js';

/** The one endpoint of the assembly service (docs/reference/assembly.md#assembly); its path is below `{dvs_url}`. */
export const assemblyRoute: GraphqlRoute = {
  kind: 'graphql',
  method: 'POST',
  path: '/request',
  permission: { action: 'GET', path: '/drs' },
  operationId: 'assemble',
  tag: 'Assembly',
  summary: 'Assemble the live data of federated records from the capable adaptors',
  body: { kind: 'object', variable: 'request' },
  status: 200,
  document: `
    query assemble($request: AssemblyRequestInput!) {
      result: assemble(request: $request) { _value: response }
    }`,
};
