export {
  createAuthenticator,
  type Authenticator,
  type AuthenticatorOptions,
  type IdentifiedCaller,
} from './authenticator.js';
export type { AttemptThrottle } from './attempt-throttle.js';
export { openSharedThrottle, type SharedThrottleOptions } from './open-shared-throttle.js';
export {
  createBusAuthenticator,
  type BusAuthenticator,
  type BusAuthenticatorOptions,
  type BusDecision,
} from './bus-authenticator.js';
export { createCheckQueue, type CheckQueue } from './check-queue.js';
export {
  checkLimitsOf,
  createClientAuthenticator,
  type AttemptLimits,
  type AuthenticatedClient,
  type ClientAuthenticator,
  type ClientAuthenticatorOptions,
} from './client-authenticator.js';
export type { Client } from './load-credentials.js';
