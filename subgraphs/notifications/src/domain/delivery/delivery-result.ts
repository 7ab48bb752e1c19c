import type { WebhookOutcome } from '@fds/webhook-client';

/** One request for a message. */
export interface Attempt {
  readonly messageUuid: string;
  /** From 1. */
  readonly number: number;
  readonly date: Date;
  readonly outcome: WebhookOutcome;
}

/** Final states of a message. WITHHELD: the user may not see the change. */
type SettledStatus = 'DELIVERED' | 'FAILED' | 'WITHHELD';

export interface SettledMessage {
  readonly messageUuid: string;
  readonly bytes: number;
  readonly status: SettledStatus;
}
