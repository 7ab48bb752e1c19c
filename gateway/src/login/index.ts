export { createEmbeddedProvider } from './embedded-provider.js';
export { createExternalProvider, type ExternalProvider } from './external-provider.js';
export { createLoginCodes } from './login-codes.js';
export { createOpenidRoutes } from './openid-routes.js';
export { openidEndpoints } from './openid-endpoints.js';
export { createPendingLogins } from './pending-login.js';
export { createRedirectRule } from './redirect-rule.js';
export type { SignInProvider } from './sign-in-provider.js';
