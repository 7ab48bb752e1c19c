import type { WebhookOutcome } from '@fds/webhook-client';

/** One request with a message. */
export interface Attempt {
  readonly messageUuid: string;
  /** From 1. */
  readonly number: number;
  readonly date: Date;
  readonly outcome: WebhookOutcome;
}

/** The way in which a message leaves its queue. WITHHELD: the user may not see the change. */
export type Settlement =
  | { readonly status: 'DELIVERED'; readonly attempt: Attempt }
  | { readonly status: 'FAILED' | 'WITHHELD'; readonly attempt?: undefined };

export type SettledMessage = Settlement & {
  readonly messageUuid: string;
  /** Position in the queue. */
  readonly sequence: bigint;
  readonly bytes: number;
};
