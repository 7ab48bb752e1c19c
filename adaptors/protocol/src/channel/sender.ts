import { eventWindow, windowBytes, windowSize } from '../limits.js';
import type { BatchOffer } from '../messages/batch-offer.js';

/** After that long without progress the sender goes back to the last acknowledged message. */
export const resendAfterMs = 3_000;

/** The time-out doubles while nothing moves, up to this. */
export const maxResendAfterMs = 30_000;

/** A message on the way: an event alone, or a batch. */
export interface SentMessage {
  /** Its last event. */
  readonly upto: number;
  readonly bytes: number;
}

/**
 * The sending end of a direction: go-back-N over a durable list of events that the caller keeps.
 * Values are immutable; times are milliseconds of any monotonic or wall clock, passed in.
 * Invariant: acked <= sent <= last; on the way are at most `windowSize` messages with `eventWindow` events and, unless it
 * is one message, `windowBytes`.
 */
export interface Sender {
  readonly epoch: string;
  /** Everything up to here is durably done by the receiver, and may be forgotten. */
  readonly acked: number;
  /** Last event put on the wire since the last rewind. */
  readonly sent: number;
  /** Last event assigned. */
  readonly last: number;
  /** The batches that the receiver takes on this connection; undefined: none. */
  readonly batch: BatchOffer | undefined;
  /** Since the last rewind, the oldest first. */
  readonly onTheWay: readonly SentMessage[];
  /** The receiver said hello since the connection came up: only then is anything sent. */
  readonly open: boolean;
  /** When something was last acknowledged, first sent, or sent again. */
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
  sent: space.acked,
  batch: undefined,
  onTheWay: [],
  open: false,
  movedAtMs: 0,
  timeoutMs: resendAfterMs,
});

/** Bytes on the way. */
export const bytesOnTheWay = ({ onTheWay }: Pick<Sender, 'onTheWay'>): number =>
  onTheWay.reduce((sum, { bytes }) => sum + bytes, 0);

/** More events were assigned. */
export const assigned = (sender: Sender, last: number): Sender => ({ ...sender, last: Math.max(sender.last, last) });

/**
 * The events that may be sent now, both inclusive; undefined when none waits or the window is full. Without batches each
 * is a message; otherwise `nextMessages` says how many of them go, and in which messages.
 */
export const nextToSend = (sender: Sender): { readonly from: number; readonly to: number } | undefined => {
  const room = windowSize - sender.onTheWay.length;
  const most = sender.batch === undefined ? sender.sent + room : sender.acked + eventWindow;
  const to = Math.min(sender.last, most);
  const isFull = room <= 0 || bytesOnTheWay(sender) >= windowBytes;
  return sender.open && !isFull && to > sender.sent ? { from: sender.sent + 1, to } : undefined;
};

/** Messages were put on the wire, in order. */
export const sentMessages = (sender: Sender, messages: readonly SentMessage[], nowMs: number): Sender => ({
  ...sender,
  sent: Math.max(sender.sent, messages.at(-1)?.upto ?? 0),
  onTheWay: [...sender.onTheWay, ...messages],
  movedAtMs: sender.sent === sender.acked ? nowMs : sender.movedAtMs,
});

/** Events up to `upto` were put on the wire, a message each, whose bytes are not counted. */
export const sent = (sender: Sender, upto: number, nowMs: number): Sender =>
  sentMessages(
    sender,
    Array.from({ length: upto - sender.sent }, (_, index) => ({ upto: sender.sent + index + 1, bytes: 0 })),
    nowMs,
  );

/** An acknowledgement came. One of another space, an old one, or one of something never sent changes nothing. */
export const acknowledged = (
  sender: Sender,
  ack: { readonly epoch: string; readonly upto: number },
  nowMs: number,
): Sender =>
  ack.epoch !== sender.epoch || ack.upto <= sender.acked || ack.upto > sender.last
    ? sender
    : {
        ...sender,
        acked: ack.upto,
        sent: Math.max(sender.sent, ack.upto),
        onTheWay: sender.onTheWay.filter(({ upto }) => upto > ack.upto),
        movedAtMs: nowMs,
        timeoutMs: resendAfterMs,
      };

/**
 * Does the receiver's hello fit this sequence space? If not (restored database, lost adaptor state), the sender must
 * open a new space, number what is not acknowledged from 1, and say so in a hello. A space of which nothing is
 * acknowledged fits every receiver: it will start there.
 */
export const fits = (
  sender: Pick<Sender, 'epoch' | 'acked' | 'last'>,
  receiver: { readonly epoch: string | null; readonly applied: number },
): boolean =>
  receiver.epoch === sender.epoch
    ? receiver.applied >= sender.acked && receiver.applied <= sender.last
    : sender.acked === 0;

/**
 * The receiver sent a hello: continue from its position, or from the acknowledged position where that is later, with
 * batches only if it says that it takes them.
 */
export const metReceiver = (
  sender: Sender,
  receiver: { readonly epoch: string | null; readonly applied: number; readonly batch?: BatchOffer | undefined },
  nowMs: number,
): Sender => {
  const acked = Math.max(sender.acked, receiver.epoch === sender.epoch ? receiver.applied : 0);
  return {
    ...sender,
    acked,
    sent: acked,
    batch: receiver.batch,
    onTheWay: [],
    open: true,
    movedAtMs: nowMs,
    timeoutMs: acked > sender.acked ? resendAfterMs : sender.timeoutMs,
  };
};

/** The connection is gone, or the receiver paused: nothing is sent until the next hello. */
export const closed = (sender: Sender): Sender => ({
  ...sender,
  sent: sender.acked,
  batch: undefined,
  onTheWay: [],
  open: false,
});

/** Goes back when events are on the way and the time-out passed without an acknowledgement; otherwise changes nothing. */
export const checkedForTimeout = (sender: Sender, nowMs: number): Sender =>
  !sender.open || sender.sent === sender.acked || nowMs - sender.movedAtMs < sender.timeoutMs
    ? sender
    : {
        ...sender,
        sent: sender.acked,
        onTheWay: [],
        movedAtMs: nowMs,
        timeoutMs: Math.min(sender.timeoutMs * 2, maxResendAfterMs),
      };
