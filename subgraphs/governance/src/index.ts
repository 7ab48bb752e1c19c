export { createGovernanceSubgraph, type GovernanceDependencies } from './create-governance-subgraph.js';
export { openPresence, type Presence } from './actions/processes/open-presence.js';
export { removeZoneAcls } from './store/acls/remove-zone-acls.js';
