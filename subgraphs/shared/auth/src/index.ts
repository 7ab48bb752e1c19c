export type { Principal, ZoneMembership } from './principal.js';
export type { Sealer } from './sealer.js';
