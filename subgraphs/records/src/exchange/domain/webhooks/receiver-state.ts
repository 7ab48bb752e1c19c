import type { WebhookVerdict } from './webhook-verdict.js';

/** Whether the receiver takes messages, and why not. */
export type WebhookCondition = { readonly kind: 'WELL' } | { readonly kind: 'FAILING'; readonly message: string };

/** Attempts that failed one after the other. */
export interface FailedAttempts {
  readonly failures: number;
  /** Wait before the next one, in milliseconds; infinite: until a caller asks for another attempt. */
  readonly afterMs: number;
  /** Why the last one failed. */
  readonly detail: string;
}

/** A verdict by which the receiver fails. */
export type ReceiverFailure = Extract<WebhookVerdict, { kind: 'RETRY' | 'STOP' }>;

/** The receiver of a webhook adaptor, as its attempts show it. */
export interface ReceiverState {
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** No attempt before this time; infinite after the last attempt. */
  readonly notBeforeMs: number;
  readonly condition: WebhookCondition;
}

/** Wait after an error of the service itself. */
const ownErrorMs = 1_000;

export const untriedReceiver: ReceiverState = { failures: 0, notBeforeMs: 0, condition: { kind: 'WELL' } };

/** The failed attempts with one more. */
export const oneMoreFailure = ({ failures }: ReceiverState, failure: ReceiverFailure): FailedAttempts => ({
  failures: failures + 1,
  afterMs: failure.kind === 'STOP' ? Infinity : failure.afterMs,
  detail: failure.detail,
});

/** The receiver after attempts that failed; the wait begins now. */
export const failingReceiver = ({ failures, afterMs, detail }: FailedAttempts, nowMs: number): ReceiverState => ({
  failures,
  notBeforeMs: nowMs + afterMs,
  condition: { kind: 'FAILING', message: detail },
});

/** The receiver takes messages again. */
export const recoveredReceiver = (receiver: ReceiverState): ReceiverState => ({
  ...receiver,
  failures: 0,
  condition: { kind: 'WELL' },
});

/** The receiver is tried at once. It counts as failing until an attempt succeeds. */
export const receiverToRetry = (receiver: ReceiverState): ReceiverState => ({
  ...receiver,
  failures: 0,
  notBeforeMs: 0,
});

/** An error of the service itself delays the next attempt, and says nothing about the receiver. */
export const receiverAfterOwnError = (receiver: ReceiverState, nowMs: number): ReceiverState => ({
  ...receiver,
  notBeforeMs: Math.max(receiver.notBeforeMs, nowMs + ownErrorMs),
});

export const isSameCondition = (one: WebhookCondition, other: WebhookCondition): boolean =>
  one.kind === 'FAILING' ? other.kind === 'FAILING' && one.message === other.message : other.kind === 'WELL';
