import type { Ack, BatchOffer, SeenPosition, WaitingReport } from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import { openNotificationListener, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { EventMeter } from '../../domain/events/event-meter.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { loadChannels } from '../../store/channels/channel.js';
import { loadMessages, type OutboxAck, type OutboxMessage, type OutboxRange } from '../../store/channels/delivery.js';
import type { AtHandBudget } from './at-hand.js';
import { createOutlet, type Outlet, type OutletDependencies } from './create-outlet.js';
import { writeDataPayload } from './data-envelope.js';
import type { WebhookOutletDependencies } from './create-webhook-outlet.js';
import { openAckWriter } from './open-ack-writer.js';
import { createSendTimes } from './send-times.js';
import { openSentWriter } from './open-sent-writer.js';
import { SentEvents } from './sent-events.js';

/** Sends the outboxes of the adaptors that this process serves. A slow adaptor does not delay others. */
export interface Relay extends Closable {
  /** Continues from the adaptor's position, with the batches that it takes, after the messages that it has settled. */
  met(channel: Channel, batch?: BatchOffer, settled?: number): void;
  /** Sends the adaptor nothing until the returned function is called: its epoch may end in between. */
  hold(adaptorUuid: string): () => void;
  /** A batch of this process queued messages. Adaptors that this process does not serve are ignored. */
  queued(channel: Channel, messages: readonly OutboxMessage[]): void;
  /**
   * Moves the window at once. The acknowledgement is written when `events` has settled: until then earlier events may need
   * the acknowledged messages.
   */
  acknowledged(adaptorUuid: string, ack: Ack, events?: Promise<unknown>): void;
  /**
   * Messages wait at the adaptor.
   *
   * @returns the number of messages that are ignored; undefined for an adaptor that this process does not serve
   */
  waiting(adaptorUuid: string, report: WaitingReport): number | undefined;
  /** The position that the adaptor acknowledged, and its messages; undefined for one without a handshake. */
  position(adaptorUuid: string): SeenPosition | undefined;
  /** Waits until the acknowledgements noted so far are written. */
  settleAcks(): Promise<void>;
  /** Looks again at every adaptor: one may play now. */
  check(): void;
  /** Another process serves the adaptor. */
  drop(adaptorUuid: string): void;
}

/** Opens the outlet of an adaptor that is not on the bus; undefined for one that is. */
export type OpenVirtualOutlet = (
  adaptorUuid: string,
  channel: Pick<OutletDependencies, 'budget' | 'load' | 'onSent' | 'nowMs' | 'onError'> &
    Pick<WebhookOutletDependencies, 'onDone'>,
) => Outlet | undefined;

export interface RelayDependencies {
  readonly database: Database;
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** Does the adaptor take data events now? */
  readonly plays: (adaptorUuid: string) => boolean;
  /** Default: every adaptor is on the bus. */
  readonly openVirtual?: OpenVirtualOutlet;
  readonly meter: EventMeter;
}

const checkIntervalMs = 250;
/** Messages kept at hand for all adaptors together. */
const maxAtHandCharacters = 64 * 2 ** 20;

/** Listens for messages that other processes queue, from the call on. Closing does not close the bus or the database. */
export const openRelay = async (dependencies: RelayDependencies): Promise<Relay> => {
  const { database, bus, log, now, newUuid, plays, openVirtual = () => undefined, meter } = dependencies;
  const outlets = new Map<string, Outlet>();
  const budget: AtHandBudget = { used: 0, max: maxAtHandCharacters };
  const ackWriter = openAckWriter({ database, log });
  const sentWriter = openSentWriter({ database, log });
  const sendTimes = createSendTimes(() => now().getTime());
  let closed = false;

  const sentEvents = new Map<string, SentEvents>();
  const sentOf = (adaptorUuid: string): SentEvents => {
    let known = sentEvents.get(adaptorUuid);
    if (known === undefined) {
      known = new SentEvents(adaptorUuid, meter, () => now().getTime());
      sentEvents.set(adaptorUuid, known);
    }
    return known;
  };

  const publish = (adaptorUuid: string, messages: readonly OutboxMessage[], payload: string): void => {
    const sent = sentOf(adaptorUuid);
    sent.note(messages);
    bus.publish(adaptorUuid, 'data', payload).then(
      () => sent.sent(messages),
      // a message that does not arrive is sent again after a time without progress, or after the next hello
      (error: unknown) => {
        meter.countEvents('sent', 'failed', messages.length);
        log.debug({ err: error, adaptorUuid }, 'the bus did not take a message');
      },
    );
  };

  const note = (ack: OutboxAck): void => {
    ackWriter.add({ ...ack, sentAt: sendTimes.take(ack.adaptorUuid, ack.upto) });
    sentWriter.acknowledged(ack);
  };

  const openOutlet = (adaptorUuid: string): Outlet => {
    const channel = {
      budget,
      load: (range: OutboxRange) => loadMessages(database.pool, adaptorUuid, range),
      onSent: (sent: Omit<OutboxAck, 'adaptorUuid'>) => {
        sendTimes.sent(adaptorUuid, sent.upto);
        sentWriter.add({ adaptorUuid, ...sent });
      },
      nowMs: () => performance.now(),
      onError: (error: unknown) => log.warn({ err: error, adaptorUuid }, 'the outbox of an adaptor could not be read'),
    };
    const sent = sentOf(adaptorUuid);
    const virtual = openVirtual(adaptorUuid, {
      ...channel,
      load: async (range) => {
        const messages = await channel.load(range);
        sent.note(messages);
        return messages;
      },
      onSent: (reached) => {
        sent.sentUntil(reached.upto);
        channel.onSent(reached);
      },
      onDone: (done) => {
        sent.acknowledged(done.upto);
        note({ adaptorUuid, ...done });
      },
    });
    return (
      virtual ??
      createOutlet({
        ...channel,
        plays: () => !closed && plays(adaptorUuid),
        send: (messages, place) => {
          const traced = sent.traced(messages);
          publish(adaptorUuid, traced, writeDataPayload(traced, { ...place, newUuid, time: now() }));
        },
      })
    );
  };

  /** Messages that other processes queued. */
  const lookForQueued = async (): Promise<void> => {
    if (closed || outlets.size === 0) return;
    const channels = await loadChannels(database.pool, [...outlets.keys()]);
    for (const [adaptorUuid, channel] of channels) outlets.get(adaptorUuid)?.queued(channel.downSequence, []);
  };
  const looking = createWakeable(lookForQueued, (error) =>
    log.warn({ err: error }, 'the outboxes could not be looked at'),
  );

  const check = (): void => {
    for (const outlet of outlets.values()) outlet.check();
  };
  const timer = setInterval(check, checkIntervalMs);
  // the batches of this process call `queued`
  const listener = await openNotificationListener({
    database,
    channel: 'fds_delivery',
    onWake: (adaptorUuid) => {
      if (adaptorUuid === undefined || adaptorUuid === '' || outlets.has(adaptorUuid)) looking.wake();
    },
    ignoresPipelined: true,
    log,
  });

  return {
    met: (channel, batch, settled) => {
      const { adaptorUuid } = channel;
      const outlet = outlets.get(adaptorUuid) ?? openOutlet(adaptorUuid);
      outlets.set(adaptorUuid, outlet);
      sentOf(adaptorUuid).met(channel.downAcked);
      outlet.met(channel, batch, settled);
    },
    hold: (adaptorUuid) => outlets.get(adaptorUuid)?.hold() ?? (() => undefined),
    queued: (channel, messages) => outlets.get(channel.adaptorUuid)?.queued(channel.downSequence, messages),
    acknowledged: (adaptorUuid, ack, events) => {
      const forgettable = outlets.get(adaptorUuid)?.acknowledged(ack);
      if (forgettable === undefined) return;
      sentOf(adaptorUuid).acknowledged(forgettable.upto);
      const sentAt = sendTimes.take(adaptorUuid, forgettable.upto);
      const write = (): void => ackWriter.add({ adaptorUuid, ...forgettable, sentAt });
      if (events === undefined) write();
      else events.then(write, write);
      sentWriter.acknowledged({ adaptorUuid, ...forgettable });
    },
    waiting: (adaptorUuid, report) => outlets.get(adaptorUuid)?.waiting(report),
    position: (adaptorUuid) => outlets.get(adaptorUuid)?.position(),
    settleAcks: () => ackWriter.settle(),
    check,
    drop: (adaptorUuid) => {
      outlets.get(adaptorUuid)?.stop();
      outlets.delete(adaptorUuid);
      sentEvents.get(adaptorUuid)?.forget();
      sentEvents.delete(adaptorUuid);
      sendTimes.forget(adaptorUuid);
    },
    close: async () => {
      closed = true;
      clearInterval(timer);
      await listener.close();
      for (const outlet of outlets.values()) outlet.stop();
      for (const sent of sentEvents.values()) sent.forget();
      await looking.settle();
      await sentWriter.close();
      await ackWriter.close();
    },
  };
};
