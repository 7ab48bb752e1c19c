export { createAssemblyFacade, type AssemblyFacadeDependencies } from './assembly-facade.js';
export { answerProblem } from './http/answer-problem.js';
export type { Authenticate } from './http/api-plugin.js';
export { openIdempotencyStore, type IdempotencyOptions } from './idempotency/open-idempotency-store.js';
export { addUnknownPaths } from './http/add-unknown-paths.js';
export { createClientErrors } from './http/refuse-broken-request.js';
export { createFrameworkErrors } from './http/framework-errors.js';
export { renderEndpointsPage } from './openapi/render-endpoints-page.js';
export { createRestFacade, type RestFacadeDependencies } from './rest-facade.js';
