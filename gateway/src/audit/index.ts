export { createAuditedExecutor } from './audited-executor.js';
export { openRefusalAudit, type RefusalAudit } from './refusal-audit.js';
export { openSignInAudit, type SignIn, type SignInAudit } from './sign-in-audit.js';
