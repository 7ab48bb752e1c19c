import type { OutboxMessage } from '../../store/channels/delivery.js';
import type { OutboxProgress } from '../domain/webhooks/outbox-progress.js';
import type { ReceiverFailure } from '../domain/webhooks/receiver-state.js';
import type { WebhookVerdict } from '../domain/webhooks/webhook-verdict.js';
import type { OutletDependencies } from './create-outlet.js';
import { deliverByRecord } from './deliver-by-record.js';
import type { ReceiverWatch } from './watch-receiver.js';

/** The place of a message. */
interface WebhookPlace {
  /** Number of the outbox, which is never used again. */
  readonly number: number;
  /** Number on the wire, in the present epoch. */
  readonly sequence: number;
}

/** The ports of a delivery: where messages come from and where they go. */
export interface OutboxDelivery extends Pick<OutletDependencies, 'plays' | 'budget' | 'load' | 'onSent'> {
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
}

/** Ends the messages under way. Each meeting has its own. */
type Session = AbortController;

/** The state of an outlet that decides what is delivered. */
export interface DeliveryState {
  readonly progress: OutboxProgress;
  readonly receiver: ReceiverWatch;
  /** The number of callers that hold the outlet: nothing is sent while there are any. */
  holds: number;
  /** Undefined while the outlet is stopped. */
  session: Session | undefined;
}

/** A delivery in one session. */
interface Run extends OutboxDelivery {
  readonly state: DeliveryState;
  readonly session: Session;
}

/** Messages that are read at once, and their characters. */
const maxLoaded = 64;
const maxCharacters = 2 ** 20;

const charactersOf = (messages: readonly OutboxMessage[]): number =>
  messages.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);

const goesOn = ({ state, session, plays }: Run): boolean =>
  state.session === session && !session.signal.aborted && state.holds === 0 && plays();

const isDue = (run: Run): boolean => goesOn(run) && run.state.progress.hasQueued && run.state.receiver.isDue();

const loadNext = ({ state: { progress, receiver }, budget, load }: Run): Promise<readonly OutboxMessage[]> => {
  // after a failure one message tries whether the receiver is back
  const count = receiver.failures > 0 ? 1 : maxLoaded;
  const characters = Math.max(1, Math.min(maxCharacters, budget.max - budget.used));
  return load({ ...progress.next(count), maxCharacters: characters });
};

const deliverOne = async (run: Run, message: OutboxMessage): Promise<ReceiverFailure | undefined> => {
  const { state, session, deliver, onDone } = run;
  const { progress, receiver } = state;
  const number = message.sequence;
  const place = { number, sequence: progress.sequenceOf(number) };
  const verdict =
    message.message === null
      ? ({ kind: 'DONE' } as const)
      : await deliver(message, place, receiver.failures, session.signal);
  // another process or another epoch may deliver the message now
  if (state.session !== session || session.signal.aborted) return undefined;
  if (verdict.kind !== 'DONE') return verdict;
  if (progress.delivered(number)) onDone({ epoch: progress.epoch, upto: progress.acked });
  return undefined;
};

/** @returns whether there may be more to do */
const deliverLoaded = async (run: Run, messages: readonly OutboxMessage[]): Promise<boolean> => {
  const { progress, receiver } = run.state;
  const failure = await deliverByRecord(
    messages.filter(({ sequence }) => !progress.isDelivered(sequence)),
    () => goesOn(run),
    (message) => deliverOne(run, message),
  );
  if (run.state.session !== run.session) return true;
  if (failure !== undefined) await receiver.fail(failure);
  else if (goesOn(run)) await receiver.recover();
  return failure === undefined;
};

/** @returns whether there may be more to do */
const step = async (run: Run): Promise<boolean> => {
  const { state, budget, onSent } = run;
  const messages = await loadNext(run);
  const last = messages.at(-1)?.sequence;
  if (last === undefined || !goesOn(run)) return false;
  const characters = charactersOf(messages);
  budget.used += characters;
  try {
    state.progress.sent(last);
    onSent({ epoch: state.progress.epoch, upto: last });
    return await deliverLoaded(run, messages);
  } finally {
    budget.used -= characters;
  }
};

/**
 * Delivers what is queued, until everything is delivered, the receiver fails, or the session ends.
 *
 * @throws the error of a delivery whose consequences failed, or of the outbox
 */
export const deliverOutbox = async (
  state: DeliveryState,
  session: Session,
  delivery: OutboxDelivery,
): Promise<void> => {
  const run: Run = { ...delivery, state, session };
  for (let more = true; more && isDue(run);) more = await step(run);
};
