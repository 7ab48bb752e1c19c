export type { Authenticate } from './http/api-plugin.js';
export { createRestFacade, type RestFacadeDependencies } from './rest-facade.js';
