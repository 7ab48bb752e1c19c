import {
  acknowledged,
  type Ack,
  assigned,
  type Attributes,
  buildBatch,
  checkedForTimeout,
  closed,
  createSender,
  type Hello,
  metReceiver,
  nextMessages,
  nextToSend,
  type Sender,
  sentMessages,
  type Verdict,
} from '@fds/adaptor-protocol';
import type { Journal } from '../journal/open-journal.js';
import { inBatch, numbered, numberingBytes } from '../numbering.js';
import { createBodiesAtHand, type Entry } from './bodies-at-hand.js';

/** The adaptor's sending end: sends the journal with go-back-N. */
export interface Outgoing {
  /**
   * Resolves when the message is in the journal. Waits while the journal is full. `body` is an envelope without
   * `sequence` and `epoch`.
   */
  publish(body: string): Promise<void>;
  /**
   * Runs a write that may append to the journal, after the messages that were published before, and sends the new
   * entries.
   *
   * @param write returns the messages that it appended
   */
  extend(write: () => readonly string[]): void;
  position(): { readonly sendEpoch: string; readonly sent: number; readonly acked: number };
  /** The numbers that are sent, acknowledged and assigned. */
  standing(): Pick<Sender, 'epoch' | 'acked' | 'last'>;
  /**
   * Returns SPACE_OPENED when the server has lost the space and a new one begins: the caller must send another hello.
   */
  met(hello: Hello, own: Verdict['own']): 'UNCHANGED' | 'RESUMED' | 'SPACE_OPENED';
  acked(ack: Ack): void;
  lost(): void;
  /** To be called regularly: detects a receiver that does not answer, and stores the acknowledged position. */
  tick(): void;
  /** Writes the messages that still wait for the disk. */
  flush(): void;
  /** From now on, a message is refused if the journal is full, instead of waiting. */
  refuseWaiting(): void;
}

export interface OutgoingOptions {
  readonly journal: Journal;
  readonly send: (payload: string) => void;
  /** Members of a batch's envelope. */
  readonly stamp: () => Pick<Attributes, 'id' | 'source' | 'time'>;
  readonly nowMs: () => number;
  readonly newUuid: () => string;
  /** Maximum number of unacknowledged messages. */
  readonly maxEvents: number;
  /** Called when a later acknowledged position is stored. */
  readonly onAcknowledged: () => void;
}

/** Maximum number of acknowledged messages that stay in the journal before one write removes all of them. */
const maxKeptMessages = 4_096;

/** A message that is not on disk yet. */
interface Pending {
  readonly body: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export const createOutgoing = (options: OutgoingOptions): Outgoing => {
  const { journal, send, stamp, nowMs, newUuid, maxEvents, onAcknowledged } = options;
  let sender: Sender = createSender(journal.outgoing());
  /** The acknowledgement of messages up to this one is in the journal. */
  let removed = sender.acked;
  /** Messages up to this one had numbers in a former sequence. */
  let resent = journal.resent();
  let batch: Pending[] = [];
  /** Messages that wait because the journal is full. */
  let waiting: Pending[] = [];
  let mayWait = true;
  const atHand = createBodiesAtHand(journal);

  const write = (message: readonly Entry[]): string => {
    const [first] = message;
    const { epoch } = sender;
    const placeOf = ({ sequence }: Entry) => ({ sequence, isResent: sequence <= resent });
    if (message.length === 1 && first !== undefined) return numbered(first.body, epoch, placeOf(first));
    const events = message.map((entry) => inBatch(entry.body, placeOf(entry)));
    return buildBatch({ ...stamp(), epoch }, events);
  };
  const sizeOf = ({ body }: Entry): number => Buffer.byteLength(body) + numberingBytes;
  const pump = (): void => {
    for (;;) {
      const range = nextToSend(sender);
      if (range === undefined) return;
      const waiting = atHand.read(range.from, range.to).map((entry) => ({ ...entry, bytes: sizeOf(entry) }));
      const messages = nextMessages(sender, waiting);
      if (messages.length === 0) return;
      for (const message of messages) send(write(message));
      const sentNow = messages.map((message) => ({
        upto: message.at(-1)?.sequence ?? 0,
        bytes: message.reduce((sum, { bytes }) => sum + bytes, 0),
      }));
      sender = sentMessages(sender, sentNow, nowMs());
    }
  };
  /** Notes messages that were appended to the journal. */
  const extended = (bodies: readonly string[], last: number): void => {
    atHand.wrote(bodies, { last, next: sender.sent + 1 });
    sender = assigned(sender, last);
  };

  const removeAcknowledged = (): void => {
    if (sender.acked === removed) return;
    journal.acknowledge(sender.acked);
    removed = sender.acked;
    onAcknowledged();
  };
  // not at each acknowledgement: after a crash, the receiver's hello names its position again
  const removeIfPossible = (): void => {
    try {
      removeAcknowledged();
    } catch {
      // the disk is full: the messages stay until a later call, and a publish rejects with the reason
    }
  };

  // messages that are published in one turn of the event loop share one write to disk
  const flush = (): void => {
    const writing = batch;
    batch = [];
    if (writing.length === 0) return;
    try {
      const bodies = writing.map(({ body }) => body);
      extended(bodies, journal.append(bodies));
      for (const { resolve } of writing) resolve();
    } catch (error) {
      for (const { reject } of writing) reject(error);
      return;
    }
    pump();
  };

  const refuseAll = (): void => {
    const refused = waiting;
    waiting = [];
    for (const { reject } of refused) reject(new Error('the journal is full and the adaptor stops'));
  };
  /** Accepts as many waiting messages as there is room for. */
  const admit = (): void => {
    const room = maxEvents - (sender.last - Math.max(sender.acked, resent)) - batch.length;
    if (room <= 0 || waiting.length === 0) return;
    if (batch.length === 0) setImmediate(flush);
    batch.push(...waiting.splice(0, room));
  };

  return {
    publish: (body) =>
      new Promise((resolve, reject) => {
        waiting.push({ body, resolve, reject });
        admit();
        if (!mayWait) refuseAll();
      }),
    refuseWaiting: () => {
      mayWait = false;
      refuseAll();
    },
    extend: (append) => {
      flush();
      extended(append(), journal.outgoing().last);
      pump();
    },
    position: () => ({ sendEpoch: sender.epoch, sent: sender.last, acked: sender.acked }),
    standing: () => sender,
    met: (hello, own) => {
      if (own === 'KEEP') return 'UNCHANGED';
      if (own === 'RENEW') {
        removeAcknowledged();
        journal.renumber(newUuid(), hello);
        atHand.clear();
        sender = createSender(journal.outgoing());
        removed = sender.acked;
        resent = journal.resent();
        return 'SPACE_OPENED';
      }
      sender = metReceiver(sender, hello, nowMs());
      removeIfPossible();
      admit();
      pump();
      return 'RESUMED';
    },
    acked: (ack) => {
      const before = sender.acked;
      sender = acknowledged(sender, ack, nowMs());
      if (sender.acked === before) return;
      if (sender.acked - removed >= maxKeptMessages) removeIfPossible();
      admit();
      pump();
    },
    lost: () => {
      sender = closed(sender);
      removeIfPossible();
    },
    tick: () => {
      removeIfPossible();
      sender = checkedForTimeout(sender, nowMs());
      pump();
    },
    flush,
  };
};
