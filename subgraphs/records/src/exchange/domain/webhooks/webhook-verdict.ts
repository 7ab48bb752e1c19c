import { retryDelay, type WebhookOutcome } from '@fds/webhook-client';

/**
 * What follows from an attempt. DONE: the next message. REFUSED: the receiver refuses this message and would refuse it again; it
 * becomes a data issue. RETRY: the receiver is not well; the message and those behind it wait. STOP: they wait until a
 * caller plays or changes the adaptor.
 */
export type WebhookVerdict =
  | { readonly kind: 'DONE' }
  | { readonly kind: 'REFUSED'; readonly detail: string }
  | { readonly kind: 'RETRY'; readonly afterMs: number; readonly detail: string }
  | { readonly kind: 'STOP'; readonly detail: string };

/** Answers that are about the message and not about the receiver, its address or its credentials. */
const refusals: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** Does the receiver refuse the message itself? */
const isRefusal = ({ httpStatus }: WebhookOutcome): boolean => httpStatus !== undefined && refusals.has(httpStatus);

/**
 * Judges an attempt.
 *
 * @param attempts attempts one after the other that failed, with this one
 */
export const judgeAttempt = (
  outcome: WebhookOutcome,
  attempts: number,
  schedule: readonly number[],
): WebhookVerdict => {
  if (outcome.kind === 'DELIVERED') return { kind: 'DONE' };
  const reason = outcome.error ?? 'the webhook cannot be delivered';
  if (isRefusal(outcome)) return { kind: 'REFUSED', detail: reason };
  if (outcome.kind === 'GONE') return { kind: 'STOP', detail: `${reason}; PLAY tries again` };
  const afterMs = retryDelay({ attempts, schedule, retryAfterMs: outcome.retryAfterMs });
  const count = `attempt ${attempts} of ${schedule.length + 1}`;
  return afterMs === undefined
    ? { kind: 'STOP', detail: `${reason} (${count}); PLAY tries again` }
    : { kind: 'RETRY', afterMs, detail: `${reason} (${count})` };
};
