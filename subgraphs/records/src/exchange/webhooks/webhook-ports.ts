import type { JsonObject } from '@fds/json';
import type { TargetRule, WebhookSender } from '@fds/webhook-client';

/** A state that the process which runs a webhook adaptor reports. */
export type HostedState = 'STARTED' | 'PAUSED' | 'ERROR' | 'DOWN';

/** The catalog, as the process that runs webhook adaptors needs it. It works on the database alone. */
export interface WebhookCatalog {
  /** @returns the state afterwards; undefined when the adaptor is gone */
  report(adaptorUuid: string, state: HostedState, message?: string): Promise<string | undefined>;
  /** The metadata in effect, with its secrets; undefined when the adaptor is gone. */
  loadMetadata(adaptorUuid: string): Promise<JsonObject | null | undefined>;
}

/** The outside of webhook adaptors. */
export interface WebhookPorts {
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly catalog: WebhookCatalog;
  /** Which addresses they may post to. */
  readonly rule: TargetRule;
  /** Waits between the attempts, in milliseconds. Default: that of Standard Webhooks. */
  readonly schedule?: readonly number[];
}
