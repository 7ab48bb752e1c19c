export { createBoundedCache, type BoundedCache } from './bounded-cache.js';
export { deploymentKeyBytes, loadDeploymentKey, type DeploymentKeySource } from './deployment-key.js';
export type { Principal, ZoneMembership } from './principal.js';
export { openPrivateFile } from './private-file.js';
export { createSealer, type Sealer } from './sealer.js';
export { hashSecret, verifySecret } from './secret-hash.js';
export type { TokenClaims } from './token-claims.js';
export {
  createTokenVerifier,
  type TokenFault,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './token-verifier.js';
