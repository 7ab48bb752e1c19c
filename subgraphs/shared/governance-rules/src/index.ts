export type { AclAction, AclEffect, AclEntry, Chain } from './acl-entry.js';
export { compileChains, type GovernanceRules } from './compile-chains.js';
export type { AppliedAcl, Decision, Message } from './message.js';
