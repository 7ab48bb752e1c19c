export type { EndedSession } from './end-session.js';
export type { ReportSignIn } from './report-sign-ins.js';
export { createAuthorizationServer, type AuthorizationServer } from './authorization-server.js';
export { loginClientId, loginScope } from './login-client.js';
export { openArtifactSweep } from './open-artifact-sweep.js';
export { openKeyRotation } from './open-key-rotation.js';
export type { ProviderFetch } from './provider-fetch.js';
