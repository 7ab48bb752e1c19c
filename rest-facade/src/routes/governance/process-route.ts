import type { GraphqlRoute } from '../../route.js';
import { pageFields } from '../page-fields.js';

/** The processes of the server. */
export const processRoute: GraphqlRoute = {
  kind: 'graphql',
  tag: 'Processes',
  method: 'GET',
  path: '/processes',
  operationId: 'listProcesses',
  summary: 'List the living processes of the server',
  query: { paged: true },
  collection: 'processes',
  status: 200,
  momentary: true,
  document: `
    query listProcesses($page: Int, $size: Int) {
      result: processes(page: $page, size: $size) {
        data { uuid parts version host dateStarted heartbeat leases busConnected changeLogLag } ${pageFields}
      }
    }`,
};
