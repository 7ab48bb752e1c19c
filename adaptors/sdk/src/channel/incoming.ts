import {
  type Ack,
  finish,
  finishedPrefix,
  type Hello,
  type EventMessage,
  type MessageIdentity,
  eventWindow,
  maxUnacknowledgedBytes,
  meetSender,
  type Numbering,
  type Position,
  receive,
  type SeenPosition,
  type WaitingReport,
} from '@fds/adaptor-protocol';
import type { ReportBody } from '../journal/build-reports.js';
import type { IncomingChange, Journal, ReceivedPosition } from '../journal/open-journal.js';
import type { Aside } from './create-keyed-task-pool.js';
import { createWaitingMessages, namesOf, type WaitingMessagesOptions } from './waiting/waiting-messages.js';

type DataMessage = EventMessage<'down/data'>;

/**
 * The adaptor's receiving end: order, tasks by key, messages that wait in the journal, position on disk,
 * acknowledgement.
 */
export interface Incoming {
  position(): Pick<Hello, 'epoch' | 'applied' | 'settled' | 'appliedMessage'>;
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
  /** The messages that wait; undefined before the first hello. */
  waiting(): WaitingReport | undefined;
  /** The number of messages that wait. */
  readonly waitingMessages: number;
  /** Tries the waiting messages now, for example because the configuration has changed. */
  retryWaiting(): void;
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

export interface IncomingOptions extends Pick<
  WaitingMessagesOptions,
  'tasks' | 'apply' | 'limits' | 'onFault' | 'onOver' | 'maxTurns' | 'nowMs'
> {
  readonly journal: Pick<Journal, 'incoming' | 'waiting'>;
  /** Writes the change and the reports in one transaction. */
  readonly store: (change: Omit<IncomingChange, 'reports'>, reports: readonly ReportBody[]) => void;
  readonly acknowledge: (ack: Ack) => void;
  /** Called when a message is missing: the server needs this end's position. */
  readonly sayHello: () => void;
  /** Called when the position is on disk. */
  readonly onStored: (position: Position) => void;
  /** Called when other messages wait than before. */
  readonly onWaiting: () => void;
  /** Called when no further messages are taken because too many wait, and when they are taken again. */
  readonly onFull: (isFull: boolean) => void;
}

interface Taken {
  readonly sequence: number;
  readonly bytes: number;
}

/** The parts of a message, besides its number. */
interface Entered {
  readonly bytes: number;
  readonly names: readonly string[];
  readonly work: Work;
  readonly identity?: MessageIdentity;
}

type Work = (aside: Aside) => Promise<readonly ReportBody[] | undefined>;

const ackEveryMs = 10;

/** Taken messages whose identities are remembered. */
const maxIdentities = 4_096;

/** Share of the limit that must be free again before further messages are taken. */
const freeAgain = 0.9;

/** Most numbers in a report, so that it fits a payload. Messages before them are settled: the window is smaller. */
const maxReported = 20_000;

/** Message group for messages that name no group. */
const unreadable = '';

const isAhead = ({ sequence, settled }: ReceivedPosition): boolean => settled > sequence;

export const createIncoming = (options: IncomingOptions): Incoming => {
  const { journal, tasks, limits } = options;
  let stored = journal.incoming();
  let taken: Position = { epoch: stored.epoch, sequence: stored.settled };
  let reports: ReportBody[] = [];
  /** Something other than the position is to be stored. */
  let hasNews = false;
  let timer: NodeJS.Timeout | undefined;
  const waiting = createWaitingMessages({
    ...options,
    journal: journal.waiting,
    onDone: (found) => {
      reports.push(...found);
      hasNews = true;
      options.onWaiting();
      storeSoon();
    },
  });
  /** The messages that are applied, or wait. */
  let settled = waiting.sequences().reduce(finish, finishedPrefix(stored.settled));
  /** The messages that were taken behind the stored position. */
  const identities = new Map<number, MessageIdentity>();
  let accepting = false;
  let isFull = false;
  /** Messages in memory that are not settled. */
  let inWork = 0;
  let unacknowledgedBytes = 0;
  /**
   * All messages that were begun have a number up to this one; undefined until it is known what earlier processes
   * began.
   */
  let begun: number | undefined = stored.epoch === null ? 0 : undefined;

  const store = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const sequence = Math.min((waiting.first() ?? Infinity) - 1, settled.upto);
    if (hasNews || sequence > stored.sequence || settled.upto > stored.settled) {
      const message = sequence === stored.sequence ? stored.message : identities.get(sequence);
      const position = { epoch: stored.epoch, sequence, settled: settled.upto, message };
      for (let passed = stored.sequence + 1; passed <= sequence; passed += 1) identities.delete(passed);
      options.store({ position, ...waiting.takeChanges() }, reports);
      stored = position;
      reports = [];
      hasNews = false;
      options.onStored({ epoch: stored.epoch, sequence });
    }
    const { epoch, settled: upto } = stored;
    if (epoch !== null)
      options.acknowledge({ epoch, upto: stored.sequence, ...(isAhead(stored) ? { settled: upto } : {}) });
    takeAgain();
  };
  const storeSoon = (): void => {
    timer ??= setTimeout(store, ackEveryMs);
  };

  const fillsRoom = (bytes: number, share: number): boolean =>
    waiting.size > 0 &&
    (waiting.size + inWork >= limits.maxWaiting * share ||
      waiting.bytes + unacknowledgedBytes + bytes > limits.maxWaitingBytes * share);
  const setFull = (next: boolean): void => {
    if (next === isFull) return;
    isFull = next;
    options.onFull(next);
  };
  const takeAgain = (): void => {
    if (!isFull || fillsRoom(0, freeAgain)) return;
    setFull(false);
    options.sayHello(); // the server continues from there at once
  };

  const run = async (work: Work, { sequence, bytes }: Taken, aside: Aside): Promise<void> => {
    const epoch = stored.epoch;
    if (begun !== undefined) begun = Math.max(begun, sequence);
    const found = await work(aside);
    unacknowledgedBytes -= bytes;
    inWork -= 1;
    if (found === undefined || stored.epoch !== epoch) return; // stopped, or the sequence space changed in the meantime
    settled = finish(settled, sequence);
    reports.push(...found);
    hasNews = true;
    storeSoon();
  };

  /** A sender that respects its window never sends this much. */
  const isTooMuch = (sequence: number, bytes: number): boolean =>
    sequence - stored.settled > eventWindow ||
    unacknowledgedBytes + waiting.unstoredBytes + bytes > maxUnacknowledgedBytes;

  const enter = (message: Partial<Numbering>, entered: Entered): void => {
    if (!accepting) return;
    const { bytes } = entered;
    const reception = receive(taken, message);
    if (reception === 'DUPLICATE') storeSoon();
    const { sequence } = message;
    const isUnexpected = reception === 'GAP' || (reception === 'APPLY' && isTooMuch(sequence ?? 0, bytes));
    // what follows a message that found no room is a gap; a hello is sent when there is room again
    if (isUnexpected && !isFull) options.sayHello();
    if (isUnexpected) return;
    if (reception === 'APPLY' && sequence !== undefined) accept(sequence, entered);
  };
  const accept = (sequence: number, { bytes, names, work, identity }: Entered): void => {
    // finished before another message that `halt` dropped: its effect is already there, or it waits
    const isSettled = settled.beyond.has(sequence);
    if (!isSettled && fillsRoom(bytes, 1)) {
      setFull(true);
      return;
    }
    taken = { epoch: taken.epoch, sequence };
    if (identity !== undefined && identities.size < maxIdentities) identities.set(sequence, identity);
    if (isSettled) return;
    unacknowledgedBytes += bytes;
    inWork += 1;
    tasks.add(names, (aside) => run(work, { sequence, bytes }, aside));
  };

  return {
    position: () => ({
      epoch: stored.epoch,
      applied: stored.sequence,
      ...(isAhead(stored) ? { settled: stored.settled } : {}),
      ...(stored.message === undefined ? {} : { appliedMessage: stored.message }),
    }),
    applied: () => ({ epoch: stored.epoch, sequence: stored.sequence }),
    seen: (appliedBefore = stored) => {
      const { epoch, sequence } = stored;
      // no message of another sequence space is known to be applied
      if (epoch === null) return undefined;
      const applied = appliedBefore.epoch === epoch ? Math.min(appliedBefore.sequence, sequence) : 0;
      return { epoch, applied, ...(begun === undefined ? {} : { begun }) };
    },
    met: (hello, answers) => {
      const { epoch, sequence } = meetSender(stored, hello);
      // the process before this one may have begun any message that was sent
      if (answers) begun ??= hello.sent;
      if (epoch === stored.epoch) return 'UNCHANGED';
      stored = { epoch, sequence, settled: sequence };
      taken = { epoch, sequence };
      begun = sequence;
      settled = finishedPrefix(sequence);
      identities.clear();
      const waited = waiting.size > 0;
      waiting.clear(); // the server sends them again in the new space
      options.store({ position: stored, ...waiting.takeChanges() }, reports);
      [reports, hasNews] = [[], false];
      if (waited) options.onWaiting();
      setFull(false);
      return 'SPACE_OPENED';
    },
    waiting: () =>
      stored.epoch === null ? undefined : { epoch: stored.epoch, sequences: waiting.sequences(maxReported) },
    get waitingMessages() {
      return waiting.size;
    },
    retryWaiting: () => waiting.retry(),
    open: () => {
      accepting = true;
      waiting.open();
    },
    take: (message, bytes) => {
      const { transactionUuid, drUuid } = message.data;
      const work: Work = (aside) => waiting.attempt(message, aside);
      enter(message, { bytes, names: namesOf(message), work, identity: { transactionUuid, drUuid } });
    },
    takeUnreadable: (numbering, found) =>
      enter(numbering, { bytes: 0, names: [unreadable], work: () => Promise.resolve(found) }),
    halt: async () => {
      accepting = false;
      waiting.close();
      await tasks.halt();
      waiting.closed();
      [unacknowledgedBytes, inWork] = [0, 0]; // drops the messages that have not begun
      store();
      taken = { epoch: stored.epoch, sequence: stored.settled };
    },
  };
};
