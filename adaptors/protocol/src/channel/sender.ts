import { windowSize } from '../limits.js';

/** After that long without progress the sender goes back to the last acknowledged message. */
export const resendAfterMs = 3_000;

/** The time-out doubles while nothing moves, up to this. */
export const maxResendAfterMs = 30_000;

/**
 * The sending end of a direction: go-back-N over a durable list of messages that the caller keeps.
 * Values are immutable; times are milliseconds of any monotonic or wall clock, passed in.
 * Invariant: acked <= sent <= last, sent - acked <= window.
 */
export interface Sender {
  readonly epoch: string;
  /** Everything up to here is durably done by the receiver, and may be forgotten. */
  readonly acked: number;
  /** Last message put on the wire since the last rewind. */
  readonly sent: number;
  /** Last message assigned. */
  readonly last: number;
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
}): Sender => ({ ...space, sent: space.acked, open: false, movedAtMs: 0, timeoutMs: resendAfterMs });

/** More messages were assigned. */
export const assigned = (sender: Sender, last: number): Sender => ({ ...sender, last: Math.max(sender.last, last) });

/** The messages to send now, both inclusive; undefined when no message waits or the window is full. */
export const nextToSend = (sender: Sender): { readonly from: number; readonly to: number } | undefined => {
  const to = Math.min(sender.last, sender.acked + windowSize);
  return sender.open && to > sender.sent ? { from: sender.sent + 1, to } : undefined;
};

/** Messages up to `upto` were put on the wire. */
export const sent = (sender: Sender, upto: number, nowMs: number): Sender => ({
  ...sender,
  sent: Math.max(sender.sent, upto),
  movedAtMs: sender.sent === sender.acked ? nowMs : sender.movedAtMs,
});

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

/** The receiver sent a hello: continue from its position, or from the acknowledged position where that is later. */
export const metReceiver = (
  sender: Sender,
  receiver: { readonly epoch: string | null; readonly applied: number },
  nowMs: number,
): Sender => {
  const acked = Math.max(sender.acked, receiver.epoch === sender.epoch ? receiver.applied : 0);
  return {
    ...sender,
    acked,
    sent: acked,
    open: true,
    movedAtMs: nowMs,
    timeoutMs: acked > sender.acked ? resendAfterMs : sender.timeoutMs,
  };
};

/** The connection is gone, or the receiver paused: nothing is sent until the next hello. */
export const closed = (sender: Sender): Sender => ({ ...sender, sent: sender.acked, open: false });

/** Goes back when messages are in flight and the time-out passed without an acknowledgement; otherwise changes nothing. */
export const checkedForTimeout = (sender: Sender, nowMs: number): Sender =>
  !sender.open || sender.sent === sender.acked || nowMs - sender.movedAtMs < sender.timeoutMs
    ? sender
    : {
        ...sender,
        sent: sender.acked,
        movedAtMs: nowMs,
        timeoutMs: Math.min(sender.timeoutMs * 2, maxResendAfterMs),
      };
