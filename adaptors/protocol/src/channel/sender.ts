import { eventWindow, windowBytes, windowSize } from '../limits.js';
import type { BatchOffer } from '../messages/batch-offer.js';

/** Time without progress after which the sender goes back to the last acknowledged message. */
export const resendAfterMs = 3_000;

/** Upper limit of the time-out, which doubles while there is no progress. */
export const maxResendAfterMs = 30_000;

/** A message that was sent and is not acknowledged: one event, or a batch. */
export interface SentMessage {
  /** Sequence of its last event. */
  readonly upto: number;
  readonly bytes: number;
}

/**
 * The sending end of a direction: go-back-N over a durable list of events that the caller keeps. Values are immutable.
 * The caller passes in times, as milliseconds of any monotonic or wall clock. Invariants: acked <= settled <= sent <=
 * last. Beyond `settled`, at most `windowSize` messages with `eventWindow` events are unacknowledged, and at most `windowBytes` unless it is a
 * single message.
 */
export interface Sender {
  readonly epoch: string;
  /** The receiver has durably handled all events up to this number; the sender may delete them. */
  readonly acked: number;
  /** The receiver has handled the events up to this number, or keeps them: they are not sent again on this connection. */
  readonly settled: number;
  /** Last event that was sent since the last rewind. */
  readonly sent: number;
  /** Last event that has a number. */
  readonly last: number;
  /** Limits of the batches that the receiver accepts on this connection; undefined: it accepts none. */
  readonly batch: BatchOffer | undefined;
  /** Messages sent since the last rewind and not settled, the oldest first. */
  readonly onTheWay: readonly SentMessage[];
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

/** Notes that more events have numbers. */
export const assigned = (sender: Sender, last: number): Sender => ({ ...sender, last: Math.max(sender.last, last) });

/**
 * The range of events that may be sent now, both ends inclusive; undefined when no event waits or the window is full.
 * Without batches, each event is a message. With batches, `nextMessages` decides how many of the events are sent, and
 * in which messages.
 */
export const nextToSend = (sender: Sender): { readonly from: number; readonly to: number } | undefined => {
  const room = windowSize - sender.onTheWay.length;
  const most = sender.batch === undefined ? sender.sent + room : sender.settled + eventWindow;
  const to = Math.min(sender.last, most);
  const isFull = room <= 0 || bytesOnTheWay(sender) >= windowBytes;
  return sender.open && !isFull && to > sender.sent ? { from: sender.sent + 1, to } : undefined;
};

/** Notes messages that were sent, in order. */
export const sentMessages = (sender: Sender, messages: readonly SentMessage[], nowMs: number): Sender => ({
  ...sender,
  sent: Math.max(sender.sent, messages.at(-1)?.upto ?? 0),
  onTheWay: [...sender.onTheWay, ...messages],
  movedAtMs: sender.sent === sender.settled ? nowMs : sender.movedAtMs,
});

/** Notes events up to `upto` that were sent as one message each. Their bytes are not counted. */
export const sent = (sender: Sender, upto: number, nowMs: number): Sender =>
  sentMessages(
    sender,
    Array.from({ length: upto - sender.sent }, (_, index) => ({ upto: sender.sent + index + 1, bytes: 0 })),
    nowMs,
  );

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
        sent: Math.max(sender.sent, settled),
        onTheWay: sender.onTheWay.filter(({ upto }) => upto > settled),
        movedAtMs: nowMs,
        timeoutMs: resendAfterMs,
      };
};

/**
 * Does the receiver's hello fit this sequence space? If not (restored database, lost adaptor state), the sender must
 * open a new space, number the unacknowledged events from 1, and announce the space in a hello. A space without
 * acknowledged events fits every receiver: the receiver starts there.
 */
export const fits = (
  sender: Pick<Sender, 'epoch' | 'acked' | 'last'>,
  receiver: { readonly epoch: string | null; readonly applied: number },
): boolean =>
  receiver.epoch === sender.epoch
    ? receiver.applied >= sender.acked && receiver.applied <= sender.last
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
  sent: sender.acked,
  batch: undefined,
  onTheWay: [],
  open: false,
});

/** Goes back when sent events were not settled before the time-out; otherwise changes nothing. */
export const checkedForTimeout = (sender: Sender, nowMs: number): Sender =>
  !sender.open || sender.sent === sender.settled || nowMs - sender.movedAtMs < sender.timeoutMs
    ? sender
    : {
        ...sender,
        sent: sender.settled,
        onTheWay: [],
        movedAtMs: nowMs,
        timeoutMs: Math.min(sender.timeoutMs * 2, maxResendAfterMs),
      };
