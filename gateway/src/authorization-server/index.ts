export { createAuthorizationServer } from './authorization-server.js';
export { openKeyRotation } from './open-key-rotation.js';
