import {
  failingReceiver,
  isSameCondition,
  oneMoreFailure,
  receiverAfterOwnError,
  receiverToRetry,
  recoveredReceiver,
  untriedReceiver,
  type FailedAttempts,
  type ReceiverFailure,
  type ReceiverState,
  type WebhookCondition,
} from '../domain/webhooks/receiver-state.js';

/** The state of a receiver while its adaptor runs. */
export interface ReceiverWatch {
  readonly condition: WebhookCondition;
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** The wait after the last failure is over. */
  isDue(): boolean;
  /** Continues after failures that are known already. */
  resume(failed: FailedAttempts): void;
  /** An attempt failed. Resolves when the failure is kept. */
  fail(failure: ReceiverFailure): Promise<void>;
  /** An attempt succeeded. Resolves when earlier failures are kept no longer. */
  recover(): Promise<void>;
  /** The next attempt is due at once, and earlier failures do not count. */
  retry(): void;
  /** An error of the service itself ended an attempt. */
  delay(): void;
}

export interface ReceiverWatchOptions {
  readonly nowMs: () => number;
  /** An attempt failed; undefined: the receiver takes messages again. */
  readonly onFailure: (failed: FailedAttempts | undefined) => Promise<void>;
  /** The condition has changed. */
  readonly onCondition: () => void;
}

export const watchReceiver = ({ nowMs, onFailure, onCondition }: ReceiverWatchOptions): ReceiverWatch => {
  let receiver: ReceiverState = untriedReceiver;

  const become = (next: ReceiverState): void => {
    const before = receiver;
    receiver = next;
    if (!isSameCondition(before.condition, next.condition)) onCondition();
  };
  const resume = (failed: FailedAttempts): void => become(failingReceiver(failed, nowMs()));

  return {
    get condition() {
      return receiver.condition;
    },
    get failures() {
      return receiver.failures;
    },
    isDue: () => nowMs() >= receiver.notBeforeMs,
    resume,
    fail: async (failure) => {
      const failed = oneMoreFailure(receiver, failure);
      try {
        await onFailure(failed);
      } finally {
        resume(failed);
      }
    },
    recover: async () => {
      if (receiver.failures > 0) await onFailure(undefined);
      become(recoveredReceiver(receiver));
    },
    retry: () => become(receiverToRetry(receiver)),
    delay: () => become(receiverAfterOwnError(receiver, nowMs())),
  };
};
