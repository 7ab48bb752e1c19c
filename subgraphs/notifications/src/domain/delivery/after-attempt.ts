import { retryDelay, type WebhookOutcome } from '@fds/webhook-client';
import type { RegistrationStatus } from '../registration/registration.js';

/** The consequence of an attempt that did not deliver its message. */
export interface FailureConsequence {
  readonly status: Exclude<RegistrationStatus, 'ACTIVE'>;
  readonly lastError: string;
  /** Time until the next attempt; undefined when there is none. */
  readonly delayMs: number | undefined;
  /** Whether the message leaves the queue. */
  readonly isMessageOver: boolean;
}

/**
 * Decides what happens after a receiver did not accept a message. While it fails, no other message is sent to it: the
 * schedule of the message is the circuit breaker of the receiver, and each attempt is its probe.
 *
 * @param failures failed attempts of the message since it was queued, including this one
 * @param schedule delays before the second and later attempts, in milliseconds
 */
export const afterFailure = (
  { kind, error, retryAfterMs }: WebhookOutcome,
  failures: number,
  schedule: readonly number[],
): FailureConsequence => {
  const lastError = error ?? 'the receiver did not take the message';
  if (kind === 'REFUSED_TARGET') return { status: 'REFUSED', lastError, delayMs: undefined, isMessageOver: false };
  const delayMs = kind === 'GONE' ? undefined : retryDelay({ attempts: failures, schedule, retryAfterMs });
  return delayMs === undefined
    ? { status: 'DISABLED', lastError, delayMs, isMessageOver: true }
    : { status: 'FAILING', lastError, delayMs, isMessageOver: false };
};
