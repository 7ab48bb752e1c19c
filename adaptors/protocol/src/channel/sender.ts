import { eventWindow, windowBytes, windowSize } from '../limits.js';
import type { BatchOffer } from '../messages/batch-offer.js';

/** Time without progress after which the sender goes back to the last acknowledged message. */
export const resendAfterMs = 3_000;

/** Upper limit of the time-out, which doubles while there is no progress. */
export const maxResendAfterMs = 30_000;

/** A message that was sent: one event, or a batch. */
export interface SentMessage {
  /** Sequence of its last event. */
  readonly upto: number;
  readonly bytes: number;
}

/** A message that counts in the window. */
interface MessageOnTheWay extends SentMessage {
  /** Sequence of its first event. */
  readonly from: number;
  /** The number of its events that count in the window. */
  readonly events: number;
}

/**
 * The sending end of a direction: go-back-N over a durable list of events that the caller keeps. Values are immutable.
 * The caller passes in times, as milliseconds of any monotonic or wall clock. Invariants: acked <= settled <= taken <=
 * sent <= last. Besides settled and waiting events, at most `windowSize` messages with `eventWindow` events are
 * unacknowledged, and at most `windowBytes` unless it is a single message.
 */
export interface Sender {
  readonly epoch: string;
  /** The receiver has durably handled all events up to this number; the sender may delete them. */
  readonly acked: number;
  /** The receiver has handled the events up to this number, or keeps them: they are not sent again on this connection. */
  readonly settled: number;
  /** The receiver has received the events up to this number: a time-out does not send them again on this connection. */
  readonly taken: number;
  /** Last event that was sent since the last rewind. */
  readonly sent: number;
  /** Last event that has a number. */
  readonly last: number;
  /** Limits of the batches that the receiver accepts on this connection; undefined: it accepts none. */
  readonly batch: BatchOffer | undefined;
  /** Messages that were sent, are not settled and do not wait at the receiver, the oldest first. */
  readonly onTheWay: readonly MessageOnTheWay[];
  /** The receiver has sent a hello since the connection came up. Nothing is sent before. */
  readonly open: boolean;
  /** Time of the last acknowledgement, first send or resend. */
  readonly movedAtMs: number;
  readonly timeoutMs: number;
}

/** A sender whose connection is not up yet. */
export const createSender = (space: {
  readonly epoch: string;
  readonly acked: number;
  readonly last: number;
}): Sender => ({
  ...space,
  settled: space.acked,
  taken: space.acked,
  sent: space.acked,
  batch: undefined,
  onTheWay: [],
  open: false,
  movedAtMs: 0,
  timeoutMs: resendAfterMs,
});

/** Number of sent bytes that are not acknowledged. */
export const bytesOnTheWay = ({ onTheWay }: Pick<Sender, 'onTheWay'>): number =>
  onTheWay.reduce((sum, { bytes }) => sum + bytes, 0);

/** The last event that the window lets be sent in batches. */
export const endOfWindow = ({ sent, onTheWay }: Pick<Sender, 'sent' | 'onTheWay'>): number =>
  sent + eventWindow - onTheWay.reduce((sum, { events }) => sum + events, 0);

/** Notes that more events have numbers. */
export const assigned = (sender: Sender, last: number): Sender => ({ ...sender, last: Math.max(sender.last, last) });

/**
 * The range of events that may be sent now, both ends inclusive; undefined when no event waits or the window is full.
 * Without batches, each event is a message. With batches, `nextMessages` decides how many of the events are sent, and
 * in which messages.
 */
export const nextToSend = (sender: Sender): { readonly from: number; readonly to: number } | undefined => {
  const room = windowSize - sender.onTheWay.length;
  const most = sender.batch === undefined ? sender.sent + room : endOfWindow(sender);
  const to = Math.min(sender.last, most);
  const isFull = room <= 0 || bytesOnTheWay(sender) >= windowBytes;
  return sender.open && !isFull && to > sender.sent ? { from: sender.sent + 1, to } : undefined;
};

/** Notes messages that were sent, in order. */
export const sentMessages = (sender: Sender, messages: readonly SentMessage[], nowMs: number): Sender => {
  let { sent: before } = sender;
  const added = messages.map(({ upto, bytes }): MessageOnTheWay => {
    const from = before + 1;
    before = upto;
    return { from, upto, bytes, events: upto - from + 1 };
  });
  return {
    ...sender,
    sent: Math.max(sender.sent, messages.at(-1)?.upto ?? 0),
    onTheWay: [...sender.onTheWay, ...added],
    movedAtMs: sender.sent === sender.taken ? nowMs : sender.movedAtMs,
  };
};

/** Notes events up to `upto` that were sent as one message each. Their bytes are not counted. */
export const sent = (sender: Sender, upto: number, nowMs: number): Sender =>
  sentMessages(
    sender,
    Array.from({ length: upto - sender.sent }, (_, index) => ({ upto: sender.sent + index + 1, bytes: 0 })),
    nowMs,
  );

/** The messages with events beyond a number. */
const beyond = (onTheWay: Sender['onTheWay'], settled: number): Sender['onTheWay'] =>
  onTheWay.flatMap((message) => {
    if (message.upto <= settled) return [];
    if (message.from > settled) return [message];
    return [{ ...message, from: settled + 1, events: Math.min(message.events, message.upto - settled) }];
  });

/**
 * Notes an acknowledgement. It changes nothing if it is stale, names another space, or names an event that was never
 * sent.
 */
export const acknowledged = (
  sender: Sender,
  ack: { readonly epoch: string; readonly upto: number; readonly settled?: number },
  nowMs: number,
): Sender => {
  const acked = Math.max(ack.upto, sender.acked);
  const settled = Math.max(ack.settled ?? 0, acked, sender.settled);
  const isNews = acked > sender.acked || settled > sender.settled;
  return ack.epoch !== sender.epoch || !isNews || settled > sender.last
    ? sender
    : {
        ...sender,
        acked,
        settled,
        taken: Math.max(sender.taken, settled),
        sent: Math.max(sender.sent, settled),
        onTheWay: beyond(sender.onTheWay, settled),
        movedAtMs: nowMs,
        timeoutMs: resendAfterMs,
      };
};

/** Events that a receiver reports as waiting, and those that were never sent to it on this connection. */
export interface TakenReport {
  readonly sender: Sender;
  /** The number of events of the report that are ignored: the space is another one, or they were not sent. */
  readonly ignored: number;
}

/**
 * Notes the events that wait at the receiver: they no longer count in the window. Because the receiver takes events in
 * order only, it has received all messages up to the last one of the report. The sender does not keep the report.
 */
export const reportedWaiting = (
  sender: Sender,
  report: { readonly epoch: string; readonly sequences: readonly number[] },
): TakenReport => {
  if (report.epoch !== sender.epoch || !sender.open) return { sender, ignored: report.sequences.length };
  const waiting = new Set(report.sequences.filter((sequence) => sequence > sender.settled && sequence <= sender.sent));
  const ignored = report.sequences.filter((sequence) => sequence > sender.sent).length;
  let { taken } = sender;
  const onTheWay = sender.onTheWay.flatMap((message): readonly MessageOnTheWay[] => {
    let waits = 0;
    for (let sequence = message.from; sequence <= message.upto; sequence += 1) if (waiting.has(sequence)) waits += 1;
    if (waits === 0) return [message];
    taken = Math.max(taken, message.upto);
    const events = Math.min(message.events, message.upto - message.from + 1 - waits);
    return events === 0 ? [] : [{ ...message, events }];
  });
  return { sender: { ...sender, taken, onTheWay }, ignored };
};

/**
 * Does the receiver's hello fit this sequence space? If not (restored database, lost adaptor state), the sender must
 * open a new space, number the unacknowledged events from 1, and announce the space in a hello. A space without
 * acknowledged events fits every receiver: the receiver starts there.
 */
export const fits = (
  sender: Pick<Sender, 'epoch' | 'acked' | 'last'>,
  receiver: { readonly epoch: string | null; readonly applied: number; readonly settled?: number },
): boolean =>
  receiver.epoch === sender.epoch
    ? receiver.applied >= sender.acked && Math.max(receiver.applied, receiver.settled ?? 0) <= sender.last
    : sender.acked === 0;

/**
 * Notes a hello of the receiver: sending continues from its position, or from the acknowledged position if it is later.
 * Events that the receiver has settled are not sent again.
 * Batches are sent only if the hello offers them.
 */
export const metReceiver = (
  sender: Sender,
  receiver: {
    readonly epoch: string | null;
    readonly applied: number;
    readonly settled?: number | undefined;
    readonly batch?: BatchOffer | undefined;
  },
  nowMs: number,
): Sender => {
  const isKnown = receiver.epoch === sender.epoch;
  const acked = Math.max(sender.acked, isKnown ? receiver.applied : 0);
  const settled = Math.min(Math.max(acked, isKnown ? (receiver.settled ?? 0) : 0), sender.last);
  return {
    ...sender,
    acked,
    settled,
    taken: settled,
    sent: settled,
    batch: receiver.batch,
    onTheWay: [],
    open: true,
    movedAtMs: nowMs,
    timeoutMs: acked > sender.acked ? resendAfterMs : sender.timeoutMs,
  };
};

/** Notes that the connection is lost or the receiver paused: nothing is sent until the next hello. */
export const closed = (sender: Sender): Sender => ({
  ...sender,
  settled: sender.acked,
  taken: sender.acked,
  sent: sender.acked,
  batch: undefined,
  onTheWay: [],
  open: false,
});

/** Goes back when the receiver may have missed events, and settled none before the time-out; otherwise changes nothing. */
export const checkedForTimeout = (sender: Sender, nowMs: number): Sender =>
  !sender.open || sender.sent === sender.taken || nowMs - sender.movedAtMs < sender.timeoutMs
    ? sender
    : {
        ...sender,
        sent: sender.taken,
        onTheWay: sender.onTheWay.filter(({ upto }) => upto <= sender.taken),
        movedAtMs: nowMs,
        timeoutMs: Math.min(sender.timeoutMs * 2, maxResendAfterMs),
      };
