export { createAuthorizationServer } from './authorization-server.js';
export { openKeyRotation, type KeyRotationOptions } from './open-key-rotation.js';
