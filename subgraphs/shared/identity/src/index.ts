export {
  bootstrapIdentity,
  type BootstrapIdentityOptions,
  type BootstrappedIdentity,
} from './bootstrap/bootstrap-identity.js';
export { logIdentities, logIdentity } from './change-log/log-identities.js';
export { loadPersonProfile, type PersonProfile } from './users/load-person-profile.js';
export { loadUsers, requireUser, toldColumns, toUser, userRow } from './users/user-rows.js';
export { createManagedRoles, type NewZone } from './zones/create-managed-roles.js';
export { grantDomain } from './zones/grant-domain.js';
export { moveDomain } from './zones/move-domain.js';
export { holderExists } from './holdings/holder-exists.js';
export { loadDataOfPerson } from './holdings/data-of-people.js';
export { showNoMore } from './holdings/show-no-more.js';
export { mayKnowPerson } from './zones/may-know-person.js';
export { requireDomainZone } from './zones/require-domain-zone.js';
export {
  openIdentityDirectory,
  type IdentityDirectory,
  type IdentityDirectoryOptions,
} from './directory/identity-directory.js';
export type { IdentityWriter } from './identity-writer.js';
export { loadRulesOfRoles, rulesAllowMore } from './holdings/data-rules.js';
export { loadGrants, type GrantHolder, type SourcedGrant, type HolderType } from './holdings/load-grants.js';
export { holdersOf, loadMemberships, type MembershipSelection } from './holdings/load-memberships.js';
export { grantsOfManagedRole, grantsOfPerson, managedRoleNames, type ManagedRoleName } from './managed-roles.js';
export { moveDefaultZone } from './zones/move-default-zone.js';
export { removeZoneIdentities } from './zones/remove-zone-identities.js';
export { weakPasswordFault } from './passwords/weak-password.js';
export {
  createAuthenticator,
  type Authenticator,
  type AuthenticatorOptions,
  type IdentifiedCaller,
} from './authentication/authenticator.js';
export type { AttemptThrottle } from './authentication/attempt-throttle.js';
export { openSharedThrottle, type SharedThrottleOptions } from './authentication/open-shared-throttle.js';
export {
  createBusAuthenticator,
  type BusAuthenticator,
  type BusAuthenticatorOptions,
  type BusDecision,
} from './authentication/bus-authenticator.js';
export { createCheckQueue, type CheckQueue } from './authentication/check-queue.js';
export {
  checkLimitsOf,
  createClientAuthenticator,
  type AttemptLimits,
  type AuthenticatedClient,
  type ClientAuthenticator,
  type ClientAuthenticatorOptions,
} from './authentication/client-authenticator.js';
export type { Client } from './authentication/load-credentials.js';
export { compareAccess, loadAccessPicture, type AccessDifference } from './holdings/access-picture.js';
