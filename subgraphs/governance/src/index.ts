export { createGovernanceSubgraph, type GovernanceDependencies } from './create-governance-subgraph.js';
