export {
  createAuthenticator,
  type Authenticator,
  type AuthenticatorOptions,
  type IdentifiedCaller,
} from './authenticator.js';
export { bootstrapIdentity, type BootstrapIdentityOptions, type BootstrappedIdentity } from './bootstrap-identity.js';
export type { AttemptThrottle } from './attempt-throttle.js';
export { openSharedThrottle, type SharedThrottleOptions } from './open-shared-throttle.js';
export {
  createBusAuthenticator,
  type BusAuthenticator,
  type BusAuthenticatorOptions,
  type BusDecision,
} from './bus-authenticator.js';
export {
  createClientAuthenticator,
  type Client,
  type ClientAuthenticator,
  type ClientAuthenticatorOptions,
} from './client-authenticator.js';
export { createManagedRoles, type NewZone } from './create-managed-roles.js';
export { grantDomain } from './grant-domain.js';
export { moveDomain } from './move-domain.js';
export { keepingOwnData, loadHeldData } from './keeping-own-data.js';
export { openIdentityDirectory, type IdentityDirectory, type IdentityDirectoryOptions } from './identity-directory.js';
export type { IdentityWriter } from './identity-writer.js';
export { listsOfRoles, loadRulesOfRoles, rulesAllowMore, type RuleLists } from './data-rules.js';
export { loadRuleLists } from './load-data-access.js';
export { loadGrants, type GrantHolder, type HeldGrant, type HolderType } from './load-grants.js';
export { holdersOf, loadMemberships } from './load-memberships.js';
export { grantsOfManagedRole, grantsOfPerson, managedRoleNames, type ManagedRoleName } from './managed-roles.js';
export { moveDefaultZone } from './move-default-zone.js';
export { removeZoneIdentities } from './remove-zone-identities.js';
export { serverPrincipal } from './server-principal.js';
