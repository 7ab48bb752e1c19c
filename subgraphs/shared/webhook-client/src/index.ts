export {
  createWebhookSender,
  type WebhookRequest,
  type WebhookSender,
  type WebhookSenderOptions,
} from './create-webhook-sender.js';
export { headerFaults, type WebhookHeader } from './headers/header-faults.js';
export {
  toWebhookTarget,
  webhookMetadataFaults,
  webhookTypeName,
  type WebhookTarget,
} from './metadata/webhook-metadata.js';
export { oauth2Faults, type OAuth2Registration } from './oauth2/oauth2-registration.js';
export { parseRetryAfter } from './retry/parse-retry-after.js';
export {
  admitToReceiver,
  afterReceiverFailure,
  afterReceiverSuccess,
  closedReceiverCircuit,
  defaultReceiverCircuitPolicy,
  type ReceiverAdmission,
  type ReceiverCircuit,
  type ReceiverCircuitPolicy,
} from './retry/receiver-circuit.js';
export { defaultRetrySchedule, retryDelay, type FailedAttempts } from './retry/retry-delay.js';
export { createWebhookSecret, webhookSecretFault } from './signing/webhook-secret.js';
export { everyTarget, publicTargets, targetFault, type TargetRule } from './target/target-fault.js';
export type { WebhookOutcome } from './webhook-outcome.js';
