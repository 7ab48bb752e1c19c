import type { WebhookOutcome } from '@fds/webhook-client';

/** One request for a message. */
export interface Attempt {
  readonly messageUuid: string;
  /** From 1. */
  readonly number: number;
  readonly date: Date;
  readonly outcome: WebhookOutcome;
}

/** How a message leaves its queue. WITHHELD: the user may not see the change. */
export type Settlement =
  | { readonly status: 'DELIVERED'; readonly attempt: Attempt }
  | { readonly status: 'FAILED' | 'WITHHELD'; readonly attempt?: undefined };

export type SettledMessage = Settlement & {
  readonly messageUuid: string;
  /** Its place in the queue. */
  readonly sequence: bigint;
  readonly bytes: number;
};
