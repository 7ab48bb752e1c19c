import {
  type Ack,
  finish,
  finishedPrefix,
  type FinishedPrefix,
  type Hello,
  type EventMessage,
  eventWindow,
  maxUnacknowledgedBytes,
  meetSender,
  type Numbering,
  type Position,
  receive,
  type SeenPosition,
} from '@fds/adaptor-protocol';
import type { ReportBody } from '../journal/build-reports.js';
import type { Journal } from '../journal/open-journal.js';
import type { Aside, KeyedTaskPool } from './create-keyed-task-pool.js';

type DataMessage = EventMessage<'down/data'>;

/** The adaptor's receiving end: order, tasks by key, position on disk, acknowledgement. */
export interface Incoming {
  position(): { readonly epoch: string | null; readonly applied: number };
  /** The position up to which messages are durably applied. */
  applied(): Position;
  /**
   * The position that an event written now has seen; undefined before the first hello.
   *
   * @param appliedBefore position that was applied before the event's change was read. Default: the position that is
   *   applied now
   */
  seen(appliedBefore: Position | undefined): SeenPosition | undefined;
  /**
   * Returns SPACE_OPENED when the server opened a new sequence: the caller must send another hello.
   *
   * @param answers true: the server sent the hello after this process began
   */
  met(hello: Hello, answers: boolean): 'UNCHANGED' | 'SPACE_OPENED';
  /** Accepts messages from now on. */
  open(): void;
  /** @param bytes the message's share of the payload */
  take(message: DataMessage, bytes: number): void;
  /** Handles a message that cannot be read. Its reports count as its result. */
  takeUnreadable(numbering: Numbering, reports: readonly ReportBody[]): void;
  /**
   * Waits for the work that has begun and stores its position. The server sends the other messages again after the next
   * hello. Accepts no messages until `open` is called again.
   */
  halt(): Promise<void>;
}

export interface IncomingOptions {
  readonly journal: Pick<Journal, 'incoming'>;
  readonly tasks: KeyedTaskPool;
  /**
   * Processes an event completely, and resolves with its reports. Undefined: it was stopped before it was done, and the
   * event is delivered again. Must not reject.
   */
  readonly apply: (message: DataMessage, aside: Aside) => Promise<readonly ReportBody[] | undefined>;
  /** Writes the position and the reports in one transaction. */
  readonly store: (position: Position, reports: readonly ReportBody[]) => void;
  readonly acknowledge: (ack: Ack) => void;
  /** Called when a message is missing: the server needs this end's position. */
  readonly sayHello: () => void;
  /** Called when the position is on disk. */
  readonly onStored: (position: Position) => void;
}

interface Taken {
  readonly sequence: number;
  readonly bytes: number;
}

type Work = (aside: Aside) => Promise<readonly ReportBody[] | undefined>;

const ackEveryMs = 10;

/** Message group for messages that name no group. */
const unreadable = '';

export const createIncoming = (options: IncomingOptions): Incoming => {
  const { tasks } = options;
  let stored = options.journal.incoming();
  let taken = stored;
  let prefix: FinishedPrefix = finishedPrefix(stored.sequence);
  let reports: ReportBody[] = [];
  let timer: NodeJS.Timeout | undefined;
  let accepting = false;
  /** Total size of the messages that are not finished. */
  let unacknowledgedBytes = 0;
  /**
   * All messages that were begun have a number up to this one; undefined until it is known what earlier processes
   * began.
   */
  let begun: number | undefined = stored.epoch === null ? 0 : undefined;

  const store = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (prefix.upto > stored.sequence || reports.length > 0) {
      stored = { epoch: stored.epoch, sequence: prefix.upto };
      options.store(stored, reports);
      reports = [];
      options.onStored(stored);
    }
    if (stored.epoch !== null) options.acknowledge({ epoch: stored.epoch, upto: stored.sequence });
  };
  const storeSoon = (): void => {
    timer ??= setTimeout(store, ackEveryMs);
  };

  const run = async (work: Work, { sequence, bytes }: Taken, aside: Aside): Promise<void> => {
    const epoch = stored.epoch;
    if (begun !== undefined) begun = Math.max(begun, sequence);
    const found = await work(aside);
    unacknowledgedBytes -= bytes;
    if (found === undefined || stored.epoch !== epoch) return; // stopped, or the sequence space changed in the meantime
    prefix = finish(prefix, sequence);
    reports.push(...found);
    storeSoon();
  };

  /** A sender that respects its window never sends this much. */
  const isTooMuch = (sequence: number, bytes: number): boolean =>
    sequence - stored.sequence > eventWindow || unacknowledgedBytes + bytes > maxUnacknowledgedBytes;

  const enter = (message: Partial<Numbering>, bytes: number, key: string, work: Work): void => {
    if (!accepting) return;
    const reception = receive(taken, message);
    if (reception === 'DUPLICATE') storeSoon();
    const { sequence } = message;
    if (reception === 'GAP' || (reception === 'APPLY' && isTooMuch(sequence ?? 0, bytes))) options.sayHello();
    else if (reception === 'APPLY' && sequence !== undefined) accept(sequence, bytes, key, work);
  };
  const accept = (sequence: number, bytes: number, key: string, work: Work): void => {
    taken = { epoch: taken.epoch, sequence };
    // finished before another message that `halt` dropped: its effect is already there
    if (prefix.beyond.has(sequence)) return;
    unacknowledgedBytes += bytes;
    tasks.add(key, (aside) => run(work, { sequence, bytes }, aside));
  };

  return {
    position: () => ({ epoch: stored.epoch, applied: stored.sequence }),
    applied: () => stored,
    seen: (appliedBefore = stored) => {
      const { epoch, sequence } = stored;
      // no message of another sequence space is known to be applied
      if (epoch === null) return undefined;
      const applied = appliedBefore.epoch === epoch ? Math.min(appliedBefore.sequence, sequence) : 0;
      return { epoch, applied, ...(begun === undefined ? {} : { begun }) };
    },
    met: (hello, answers) => {
      const met = meetSender(stored, hello);
      // the process before this one may have begun any message that was sent
      if (answers) begun ??= hello.sent;
      if (met === stored) return 'UNCHANGED';
      stored = met;
      taken = met;
      begun = met.sequence;
      prefix = finishedPrefix(met.sequence);
      options.store(met, reports);
      reports = [];
      return 'SPACE_OPENED';
    },
    open: () => {
      accepting = true;
    },
    take: (message, bytes) =>
      enter(message, bytes, message.partitionkey ?? message.data.drUuid, (aside) => options.apply(message, aside)),
    takeUnreadable: (numbering, found) => enter(numbering, 0, unreadable, () => Promise.resolve(found)),
    halt: async () => {
      accepting = false;
      await tasks.halt();
      unacknowledgedBytes = 0; // drops the messages that have not begun
      store();
      taken = stored;
    },
  };
};
