export type { DataSources } from './data-sources/data-source.js';
export { createGraphqlClient, type GraphqlClient, type GraphqlClientOptions } from './data-sources/graphql-client.js';
export { createHttpDataSource } from './data-sources/http-data-source.js';
export { createHttpGraphqlExecutor } from './data-sources/http-graphql-executor.js';
export { createInProcessDataSource } from './data-sources/in-process-data-source.js';
export {
  createGraphqlExecutor,
  type GraphqlExecutorOptions,
  type InProcessExecutor,
  type InProcessOperation,
} from './executor/graphql-executor.js';
export { defaultLimits, type OperationLimits } from './limits/operation-limits.js';
export type { Authenticate } from './http/authenticate.js';
export {
  createGraphqlEndpoint,
  type GraphqlEndpoint,
  type GraphqlEndpointOptions,
} from './graphql/graphql-endpoint.js';
export {
  createStitchedGateway,
  type StitchedGateway,
  type StitchedGatewayOptions,
} from './stitching/stitched-gateway.js';
export { serveSubgraph, type ServedSubgraph, type ServeSubgraphOptions } from './subgraph-server/serve-subgraph.js';
export { subgraphRoutes, type SubgraphRoutesOptions } from './subgraph-server/subgraph-routes.js';
