export { effectOf, type AclAction, type AclEffect, type AclEntry, type Chain } from './acl-entry.js';
export { compileChains, type GovernanceRules } from './compile-chains.js';
export {
  compileOperationalChain,
  type OperationalDecision,
  type OperationalRules,
  type SourceOperation,
} from './compile-operational-chain.js';
export type { DecisionCount } from './decision-count.js';
export { findMasks, findOperationalMasks } from './find-masks.js';
export type { AppliedAcl, Decision, Message } from './message.js';
export type { OperationalAction, OperationalEntry } from './operational-entry.js';
