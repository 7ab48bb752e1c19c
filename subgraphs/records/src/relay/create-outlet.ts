import {
  acknowledged,
  assigned,
  checkedForTimeout,
  closed,
  createSender,
  metReceiver,
  nextToSend,
  sent,
  type Ack,
  type SeenPosition,
  type Sender,
} from '@fds/adaptor-protocol';
import { createWakeable } from '../background/create-wakeable.js';
import type { Channel } from '../domain/meet-adaptor.js';
import type { OutboxMessage, OutboxRange } from '../store/channels/delivery.js';
import { createAtHand, type AtHandBudget } from './at-hand.js';

/** The sending end of one adaptor's outbox. Sends only after a hello, and while the adaptor plays. */
export interface Outlet {
  /** The adaptor sent a hello: continues from its position. Messages queued since the channel was read are kept. */
  met(channel: Channel): void;
  /**
   * Sends nothing until the returned function is called: while a hello is being answered, the epoch of the outlet may be
   * over. Messages that are queued in the meantime follow those that are sent again. The function may be called twice.
   */
  hold(): () => void;
  /** Messages were queued, up to this number of the outbox. Those at hand need not be read again. */
  queued(upto: number, messages: readonly OutboxMessage[]): void;
  /** @returns the messages that the outbox may forget, by its own numbers; undefined when the acknowledgement is not new */
  acknowledged(ack: Ack): { readonly epoch: string; readonly upto: number } | undefined;
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
  /** Puts a message on the wire; `sequence` is the number there. */
  readonly send: (message: OutboxMessage, place: { readonly sequence: number; readonly epoch: string }) => void;
  /** Messages were sent, up to this number of the outbox. */
  readonly onSent: (sent: { readonly epoch: string; readonly upto: number }) => void;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Most messages that are read at once. */
const maxLoaded = 512;

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
      const messages = atHand.take(from, to);
      if (messages.length === 0) return;
      for (const message of messages) {
        if (message.message !== null) send(message, { sequence: message.sequence - base, epoch: sender.epoch });
      }
      const upto = messages.at(-1)?.sequence ?? 0;
      sentOnce = Math.max(sentOnce, upto - base);
      sender = sent(sender, upto - base, nowMs());
      onSent({ epoch: sender.epoch, upto });
    }
  };
  const pumping = createWakeable(pump, onError);

  return {
    met: (channel) => {
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
      sender = metReceiver(createSender(space), { epoch: space.epoch, applied: space.acked }, nowMs());
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
      return { epoch: sender.epoch, upto: sender.acked + base };
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
