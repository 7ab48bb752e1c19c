export { createAuthorizationServer } from './authorization-server.js';
