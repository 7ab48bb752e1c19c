export { createGovernanceSubgraph, type GovernanceDependencies } from './create-governance-subgraph.js';
export { removeZoneAcls } from './store/acls/remove-zone-acls.js';
