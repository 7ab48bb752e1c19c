export { createGovernanceSubgraph, type GovernanceDependencies } from './create-governance-subgraph.js';
export { removeZoneAcls } from './store/remove-zone-acls.js';
