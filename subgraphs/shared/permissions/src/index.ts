export { actions, type Action, type GrantedAction } from './action.js';
export { compileGrants, type CompiledGrants } from './compile-grants.js';
export { compileEndpoints, type EndpointPermission, type Endpoints } from './endpoints.js';
export type { Grant } from './grant.js';
export { pathSegments } from './path-segments.js';
export { resourceFault } from './resource-fault.js';
