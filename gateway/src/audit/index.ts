export { createAuditedExecutor } from './audited-executor.js';
export { openRefusalAudit, type RefusalAudit } from './refusal-audit.js';
