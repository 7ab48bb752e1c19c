import { createWakeable } from '../../background/create-wakeable.js';
import type { OutboxMessage } from '../../store/channels/delivery.js';
import type { WebhookVerdict } from '../domain/webhooks/webhook-verdict.js';
import type { Outlet, OutletDependencies } from './create-outlet.js';

/** Whether the receiver takes messages, and why not. */
export type WebhookCondition = { readonly kind: 'WELL' } | { readonly kind: 'FAILING'; readonly message: string };

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

/** Attempts that failed one after the other. */
export interface FailedAttempts {
  readonly failures: number;
  /** Wait before the next one, in milliseconds; infinite: until `retry`. */
  readonly afterMs: number;
  /** Why the last one failed. */
  readonly detail: string;
}

/** The place of a message. */
interface WebhookPlace {
  /** Number of the outbox, which is never used again. */
  readonly number: number;
  /** Number on the wire, in the present epoch. */
  readonly sequence: number;
}

export interface WebhookOutletDependencies extends Pick<
  OutletDependencies,
  'plays' | 'budget' | 'load' | 'onSent' | 'nowMs' | 'onError'
> {
  /**
   * Delivers a message and does what follows from its delivery. When this resolves with DONE, its link or issue is committed.
   *
   * @param attempts attempts that failed one after the other before this one
   * @throws Error when the delivery may have succeeded and its consequences did not: the message comes again
   */
  readonly deliver: (
    message: OutboxMessage,
    place: WebhookPlace,
    attempts: number,
    signal: AbortSignal,
  ) => Promise<Exclude<WebhookVerdict, { kind: 'REFUSED' }>>;
  /** Everything up to this number of the outbox is done. */
  readonly onDone: (done: { readonly epoch: string; readonly upto: number }) => void;
  /** An attempt failed; undefined: the receiver takes messages again. The next attempt waits for the promise. */
  readonly onFailure: (failed: FailedAttempts | undefined) => Promise<void>;
  /** The condition has changed, or the outlet is idle. */
  readonly onCondition: () => void;
  /** Another process serves the adaptor, or it is gone. */
  readonly onStopped: () => void;
}

/** Messages that are read at once, and their characters. */
const maxLoaded = 64;
const maxCharacters = 2 ** 20;
/** Messages that are under way at the same time, each of another record. */
const maxUnderWay = 8;
/** Wait after an error of the service itself. */
const ownErrorMs = 1_000;

type Failure = Exclude<WebhookVerdict, { kind: 'DONE' | 'REFUSED' }>;

const byRecord = (messages: readonly OutboxMessage[]): OutboxMessage[][] => {
  const groups = new Map<string, OutboxMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.recordUuid);
    if (group === undefined) groups.set(message.recordUuid, [message]);
    else group.push(message);
  }
  return [...groups.values()];
};

const charactersOf = (messages: readonly OutboxMessage[]): number =>
  messages.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);

const well: WebhookCondition = { kind: 'WELL' };

/** Creates an outlet that waits until it is met. */
export const createWebhookOutlet = (dependencies: WebhookOutletDependencies): WebhookOutlet => {
  const { plays, budget, load, deliver, onDone, onSent, onFailure, nowMs, onError, onCondition, onStopped } =
    dependencies;
  let epoch = '';
  let base = 0;
  let acked = 0;
  let sentUpto = 0;
  let queuedUpto = 0;
  /** Delivered beyond `acked`. */
  const done = new Set<number>();
  let failures = 0;
  /** Not before this time; infinite after the last attempt. */
  let notBeforeMs = 0;
  let condition: WebhookCondition = well;
  let holds = 0;
  let isBusy = false;
  /** Ends what is under way; a new one for each meeting. Undefined while the outlet is stopped. */
  let session: AbortController | undefined;

  const goesOn = (current: AbortController): boolean =>
    session === current && !current.signal.aborted && holds === 0 && plays();

  const setCondition = (next: WebhookCondition): void => {
    const before = condition;
    condition = next;
    if (
      before.kind !== next.kind ||
      (next.kind === 'FAILING' && before.kind === 'FAILING' && before.message !== next.message)
    ) {
      onCondition();
    }
  };

  const finish = (number: number): void => {
    done.add(number);
    const before = acked;
    while (done.delete(acked + 1)) acked += 1;
    if (acked > before) onDone({ epoch, upto: acked });
  };

  const resume = (failed: FailedAttempts): void => {
    failures = failed.failures;
    notBeforeMs = nowMs() + failed.afterMs;
    setCondition({ kind: 'FAILING', message: failed.detail });
  };

  const fail = async (failure: Failure): Promise<void> => {
    const afterMs = failure.kind === 'STOP' ? Infinity : failure.afterMs;
    const failed = { failures: failures + 1, afterMs, detail: failure.detail };
    try {
      await onFailure(failed);
    } finally {
      resume(failed);
    }
  };

  const recover = async (): Promise<void> => {
    if (failures > 0) await onFailure(undefined);
    failures = 0;
    setCondition(well);
  };

  /** @returns the failure that ended the delivery */
  const deliverAll = async (
    messages: readonly OutboxMessage[],
    current: AbortController,
  ): Promise<Failure | undefined> => {
    const groups = byRecord(messages.filter(({ sequence }) => !done.has(sequence)));
    let failure: Failure | undefined;
    const deliverNext = async (message: OutboxMessage): Promise<void> => {
      const number = message.sequence;
      const place = { number, sequence: number - base };
      const verdict =
        message.message === null
          ? ({ kind: 'DONE' } as const)
          : await deliver(message, place, failures, current.signal);
      // another process or another epoch may deliver the message now
      if (session !== current || current.signal.aborted) return;
      if (verdict.kind === 'DONE') finish(number);
      else failure ??= verdict;
    };
    const work = async (): Promise<void> => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        for (const message of group) {
          if (failure !== undefined || !goesOn(current)) return;
          await deliverNext(message);
        }
      }
    };
    const results = await Promise.allSettled(Array.from({ length: Math.min(maxUnderWay, groups.length) }, work));
    const broken = results.find((result) => result.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return failure;
  };

  const loadNext = (): Promise<readonly OutboxMessage[]> => {
    // after a failure one message tries whether the receiver is back
    const count = failures > 0 ? 1 : maxLoaded;
    const characters = Math.max(1, Math.min(maxCharacters, budget.max - budget.used));
    return load({ from: acked + 1, to: Math.min(queuedUpto, acked + count), maxCharacters: characters });
  };

  /** @returns whether there may be more to do */
  const step = async (current: AbortController): Promise<boolean> => {
    const messages = await loadNext();
    const characters = charactersOf(messages);
    const last = messages.at(-1)?.sequence;
    if (last === undefined || !goesOn(current)) return false;
    budget.used += characters;
    try {
      sentUpto = Math.max(sentUpto, last);
      onSent({ epoch, upto: last });
      const failure = await deliverAll(messages, current);
      if (session !== current) return true;
      if (failure !== undefined) await fail(failure);
      else if (goesOn(current)) await recover();
      return failure === undefined;
    } finally {
      budget.used -= characters;
    }
  };

  const isDue = (current: AbortController): boolean => goesOn(current) && acked < queuedUpto && nowMs() >= notBeforeMs;

  const pump = async (): Promise<void> => {
    const current = session;
    if (current === undefined) return;
    isBusy = true;
    try {
      for (let more = true; more && isDue(current);) more = await step(current);
    } catch (error) {
      notBeforeMs = Math.max(notBeforeMs, nowMs() + ownErrorMs);
      throw error;
    } finally {
      isBusy = false;
      onCondition();
    }
  };
  const pumping = createWakeable(pump, onError);

  const retry = (): void => {
    failures = 0;
    notBeforeMs = 0;
    pumping.wake();
  };

  const endSession = (): void => {
    session?.abort();
    session = undefined;
    done.clear();
  };

  return {
    get condition() {
      return condition;
    },
    get isIdle() {
      return !isBusy;
    },
    resume,
    retry,
    settle: () => pumping.settle(),
    met: (channel) => {
      const isSame = session !== undefined && epoch === channel.downEpoch;
      queuedUpto = Math.max(queuedUpto, channel.downSequence);
      if (!isSame) {
        endSession();
        session = new AbortController();
        acked = channel.downAcked;
        sentUpto = channel.downSequence;
      }
      epoch = channel.downEpoch;
      base = channel.downBase;
      pumping.wake();
    },
    hold: () => {
      let isHeld = true;
      holds += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        pumping.wake();
      };
    },
    queued: (upto) => {
      queuedUpto = Math.max(queuedUpto, upto);
      pumping.wake();
    },
    // only this outlet acknowledges
    acknowledged: () => undefined,
    position: () => ({ epoch, applied: acked - base, begun: Math.max(sentUpto, acked) - base }),
    check: () => {
      if (acked < queuedUpto && nowMs() >= notBeforeMs && plays()) pumping.wake();
    },
    stop: () => {
      endSession();
      onStopped();
    },
  };
};
