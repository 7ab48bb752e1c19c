import type { JsonObject } from '@fds/json';
import { toWebhookTarget, webhookMetadataFaults, type TargetRule, type WebhookTarget } from '@fds/webhook-client';

/** The metadata of a webhook adaptor as it was read last: a target, or the fault that prevents one. */
export interface WebhookConfiguration {
  readonly revision: string;
  readonly target: WebhookTarget | undefined;
  readonly fault: string | undefined;
}

/** @param metadata undefined when the adaptor is gone */
export const webhookConfiguration = (
  revision: string,
  metadata: JsonObject | null | undefined,
  rule: TargetRule,
): WebhookConfiguration => {
  const [cause] = webhookMetadataFaults(metadata ?? null, '/metadata', rule);
  return cause === undefined && metadata !== undefined && metadata !== null
    ? { revision, target: toWebhookTarget(metadata), fault: undefined }
    : { revision, target: undefined, fault: `${cause?.pointer ?? '/metadata'}: ${cause?.detail ?? 'is missing'}` };
};
