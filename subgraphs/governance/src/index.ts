export { createGovernanceSubgraph, type GovernanceDependencies } from './create-governance-subgraph.js';
export type { CarryOut } from './actions/configuration/plan-actions.js';
export { openPresence, type Presence } from './actions/processes/open-presence.js';
export { removeZoneAcls } from './store/acls/remove-zone-acls.js';
