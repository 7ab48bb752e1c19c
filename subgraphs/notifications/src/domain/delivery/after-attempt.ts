import { retryDelay, type WebhookOutcome } from '@fds/webhook-client';
import type { RegistrationStatus } from '../registration/registration.js';

/** What follows from an attempt that did not deliver its message. */
export interface FailureConsequence {
  readonly status: Exclude<RegistrationStatus, 'ACTIVE'>;
  readonly lastError: string;
  /** Time until the next attempt; undefined: no attempt follows. */
  readonly delayMs: number | undefined;
  /** The message leaves the queue. */
  readonly isMessageOver: boolean;
}

/**
 * Decides on a receiver that did not take a message. While it fails, nothing else is sent to it: the schedule of the
 * message is the circuit breaker of the receiver, and each attempt is its probe.
 *
 * @param failures attempts of the message that failed since it was queued, this one included
 * @param schedule waits before the second and later attempts, in milliseconds
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
