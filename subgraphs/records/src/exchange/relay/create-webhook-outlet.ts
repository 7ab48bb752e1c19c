import { createWakeable } from '../../base/create-wakeable.js';
import { OutboxProgress } from '../domain/webhooks/outbox-progress.js';
import type { FailedAttempts, WebhookCondition } from '../domain/webhooks/receiver-state.js';
import type { Outlet, OutletDependencies } from './create-outlet.js';
import { deliverOutbox, type DeliveryState, type OutboxDelivery } from './deliver-outbox.js';
import { watchReceiver } from './watch-receiver.js';

/**
 * The sending end of a webhook adaptor's outbox. It reads messages when it can deliver them, and keeps none while the
 * receiver fails. Messages of one record are delivered one after another.
 */
export interface WebhookOutlet extends Outlet {
  readonly condition: WebhookCondition;
  /** True when no message is under way. */
  readonly isIdle: boolean;
  /** Continues after the failures of an earlier process. */
  resume(failure: FailedAttempts): void;
  /** Forgets earlier failures and tries at once. The caller discards the failures that it got by `onFailure`. */
  retry(): void;
  /** Waits until no message is under way. */
  settle(): Promise<void>;
}

export interface WebhookOutletDependencies extends OutboxDelivery, Pick<OutletDependencies, 'nowMs' | 'onError'> {
  /** An attempt failed; undefined: the receiver takes messages again. The next attempt waits for the promise. */
  readonly onFailure: (failed: FailedAttempts | undefined) => Promise<void>;
  /** The condition has changed, or the outlet is idle. */
  readonly onCondition: () => void;
  /** Another process serves the adaptor, or it is gone. */
  readonly onStopped: () => void;
}

/** Creates an outlet that waits until it is met. */
export const createWebhookOutlet = (dependencies: WebhookOutletDependencies): WebhookOutlet => {
  const { plays, nowMs, onError, onFailure, onCondition, onStopped } = dependencies;
  const progress = new OutboxProgress();
  const receiver = watchReceiver({ nowMs, onFailure, onCondition });
  const state: DeliveryState = { progress, receiver, holds: 0, session: undefined };
  let isBusy = false;

  const pump = async (): Promise<void> => {
    const { session } = state;
    if (session === undefined) return;
    isBusy = true;
    try {
      await deliverOutbox(state, session, dependencies);
    } catch (error) {
      receiver.delay();
      throw error;
    } finally {
      isBusy = false;
      onCondition();
    }
  };
  const pumping = createWakeable(pump, onError);

  const endSession = (): void => {
    state.session?.abort();
    state.session = undefined;
  };

  return {
    get condition() {
      return receiver.condition;
    },
    get isIdle() {
      return !isBusy;
    },
    resume: receiver.resume,
    retry: () => {
      receiver.retry();
      pumping.wake();
    },
    settle: () => pumping.settle(),
    met: (channel) => {
      if (state.session === undefined || progress.epoch !== channel.downEpoch) {
        endSession();
        state.session = new AbortController();
        progress.begin(channel);
      }
      progress.meet(channel);
      pumping.wake();
    },
    hold: () => {
      let isHeld = true;
      state.holds += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        state.holds -= 1;
        pumping.wake();
      };
    },
    queued: (upto) => {
      progress.queued(upto);
      pumping.wake();
    },
    // only this outlet acknowledges
    acknowledged: () => undefined,
    // and none of its messages waits elsewhere
    waiting: ({ sequences }) => sequences.length,
    position: () => progress.position(),
    check: () => {
      if (progress.hasQueued && receiver.isDue() && plays()) pumping.wake();
    },
    stop: () => {
      endSession();
      onStopped();
    },
  };
};
