export { bootstrapCatalog, type BootstrapCatalogOptions } from './bootstrap-catalog.js';
export type { TakeAdaptorError } from './bus/handle-reports.js';
export { createCatalogSubgraph, type CatalogDependencies } from './create-catalog-subgraph.js';
export { createHostedAdaptors, type HostedAdaptors } from './store/adaptors/hosted-adaptors.js';
export type { CreateManagedRoles, ForgetZone, GrantDomain } from './actions/zones/zone-roles.js';
export { loadAdaptorStates, type AdaptorStateRow } from './store/adaptors/load-adaptor-states.js';
