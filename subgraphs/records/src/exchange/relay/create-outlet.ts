import {
  acknowledged,
  assigned,
  checkedForTimeout,
  closed,
  createSender,
  metReceiver,
  nextMessages,
  nextToSend,
  reportedWaiting,
  sentMessages,
  type Ack,
  type BatchOffer,
  type SeenPosition,
  type Sender,
  type WaitingReport,
} from '@fds/adaptor-protocol';
import { createWakeable } from '../../base/create-wakeable.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { envelopeBytes } from '../../domain/routing/message-limit.js';
import type { OutboxMessage, OutboxRange } from '../../store/channels/delivery.js';
import { createAtHand, type AtHandBudget } from './at-hand.js';

/** The sending end of one adaptor's outbox. Sends only after a hello, and while the adaptor plays. */
export interface Outlet {
  /**
   * The adaptor sent a hello: continues from its position. Messages queued since the channel was read are kept.
   *
   * @param batch the batches that it takes; undefined: none
   * @param settled the messages up to this number of the epoch are not sent again; undefined: those that it acknowledged
   */
  met(channel: Channel, batch?: BatchOffer, settled?: number): void;
  /**
   * Sends nothing until the returned function is called: while a hello is being answered, the epoch of the outlet may be
   * over. Messages that are queued in the meantime follow those that are sent again. The function may be called twice.
   */
  hold(): () => void;
  /** Messages were queued, up to this number of the outbox. Those at hand need not be read again. */
  queued(upto: number, messages: readonly OutboxMessage[]): void;
  /** @returns the messages that the outbox may forget, by its own numbers; undefined when the acknowledgement is not new */
  acknowledged(ack: Ack): { readonly epoch: string; readonly upto: number } | undefined;
  /**
   * Messages wait at the adaptor for its system: the window no longer counts them.
   *
   * @returns the number of messages that are ignored, because they were not sent on this connection or epoch
   */
  waiting(report: WaitingReport): number;
  /** How far the adaptor acknowledged, and how far it may have begun, by the numbers on the wire. */
  position(): SeenPosition;
  /** Looks again whether the adaptor plays, and goes back after a time without progress. */
  check(): void;
  /** Forgets the sent messages; nothing more is sent until the next hello. */
  stop(): void;
}

export interface OutletDependencies {
  /** Does the adaptor take data events now? */
  readonly plays: () => boolean;
  /** Shared by the outlets of the process. */
  readonly budget: AtHandBudget;
  /** A stretch of the outbox, by its own numbers, both ends inclusive. It ends early after so many characters. */
  readonly load: (range: OutboxRange) => Promise<readonly OutboxMessage[]>;
  /** Puts messages on the wire together; `sequence` is the number of the first one there, and the others follow it. */
  readonly send: (
    messages: readonly OutboxMessage[],
    place: { readonly sequence: number; readonly epoch: string },
  ) => void;
  /** Messages were sent, up to this number of the outbox. */
  readonly onSent: (sent: { readonly epoch: string; readonly upto: number }) => void;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Most messages that are read at once. */
const maxLoaded = 512;

/** A message with its number and its size on the wire. */
interface WireMessage {
  readonly sequence: number;
  readonly bytes: number;
  readonly message: OutboxMessage;
}

/** @param base number of the outbox before the first one of the epoch */
const wireMessages = (ready: readonly OutboxMessage[], base: number): readonly WireMessage[] =>
  ready.flatMap((message) =>
    message.message === null
      ? []
      : [{ sequence: message.sequence - base, bytes: Buffer.byteLength(message.message) + envelopeBytes, message }],
  );

/** Creates an outlet that waits for its first hello. */
export const createOutlet = ({ plays, budget, load, send, onSent, nowMs, onError }: OutletDependencies): Outlet => {
  let sender: Sender = createSender({ epoch: '', acked: 0, last: 0 });
  let base = 0;
  /** The last number that may ever have been sent in the epoch. */
  let sentOnce = 0;
  /**
   * The last number of the outbox that is known to be queued. A number is never used again, not even in another epoch.
   */
  let queuedUpto = 0;
  let holds = 0;
  const atHand = createAtHand(budget);

  /**
   * Sends messages at hand as far as the window has room. Those without content are passed over.
   *
   * @returns the last number on the wire that is done
   */
  const sendReady = (ready: readonly OutboxMessage[]): number => {
    const waiting = wireMessages(ready, base);
    const groups = nextMessages(sender, waiting);
    for (const group of groups) {
      const [first] = group;
      const place = { sequence: first?.sequence ?? 0, epoch: sender.epoch };
      send(
        group.map(({ message }) => message),
        place,
      );
    }
    const sentNow = groups.map((group) => ({
      upto: group.at(-1)?.sequence ?? 0,
      bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
    }));
    const left = waiting[groups.reduce((sum, { length }) => sum + length, 0)];
    const upto = left === undefined ? (ready.at(-1)?.sequence ?? base) - base : left.sequence - 1;
    const passedOver = upto > (sentNow.at(-1)?.upto ?? sender.sent) ? [{ upto, bytes: 0 }] : [];
    sender = sentMessages(sender, [...sentNow, ...passedOver], nowMs());
    return upto;
  };

  const pump = async (): Promise<void> => {
    for (;;) {
      const next = plays() && holds === 0 ? nextToSend(sender) : undefined;
      if (next === undefined) return;
      const started = sender;
      const [from, to] = [next.from + base, next.to + base];
      if (!atHand.has(from)) {
        // ahead of the window: a backlog is not read in as many pieces as there are acknowledgements
        const loaded = await load({
          from,
          to: Math.min(sender.last + base, from + maxLoaded - 1),
          maxCharacters: atHand.maxLoaded,
        });
        // a hello, a time-out or an acknowledgement may have moved the place since then
        if (sender.epoch !== started.epoch || sender.sent !== started.sent || !sender.open || holds > 0) continue;
        atHand.replace(loaded);
      }
      const upto = sendReady(atHand.peek(from, to));
      if (upto < next.from) return;
      atHand.drop(upto + base);
      sentOnce = Math.max(sentOnce, upto);
      onSent({ epoch: sender.epoch, upto: upto + base });
    }
  };
  const pumping = createWakeable(pump, onError);

  return {
    met: (channel, batch, settled) => {
      // a batch may have been committed and queued after the channel was read
      queuedUpto = Math.max(queuedUpto, channel.downSequence);
      // of another epoch, or another process before this one, anything may have been sent
      if (sender.epoch !== channel.downEpoch) sentOnce = channel.downSequence - channel.downBase;
      base = channel.downBase;
      atHand.clear();
      const space = {
        epoch: channel.downEpoch,
        acked: channel.downAcked - base,
        last: queuedUpto - base,
      };
      sender = metReceiver(createSender(space), { epoch: space.epoch, applied: space.acked, settled, batch }, nowMs());
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
    queued: (upto, messages) => {
      queuedUpto = Math.max(queuedUpto, upto);
      const last = sender.last + base;
      for (const message of messages) {
        const follows =
          atHand.size === 0 ? message.sequence === sender.sent + base + 1 : atHand.has(message.sequence - 1);
        if (sender.open && follows) atHand.offer(message);
      }
      if (upto > last) sender = assigned(sender, upto - base);
      pumping.wake();
    },
    acknowledged: (ack) => {
      const before = sender;
      sender = acknowledged(sender, ack, nowMs());
      if (sender === before) return undefined;
      pumping.wake();
      return sender.acked === before.acked ? undefined : { epoch: sender.epoch, upto: sender.acked + base };
    },
    waiting: (report) => {
      const { sender: next, ignored } = reportedWaiting(sender, report);
      sender = next;
      pumping.wake();
      return ignored;
    },
    position: () => ({ epoch: sender.epoch, applied: sender.acked, begun: Math.max(sentOnce, sender.acked) }),
    check: () => {
      if (!plays()) return;
      const checked = checkedForTimeout(sender, nowMs());
      if (checked !== sender) {
        sender = checked;
        atHand.clear();
      }
      pumping.wake();
    },
    stop: () => {
      sender = closed(sender);
      atHand.clear();
    },
  };
};
