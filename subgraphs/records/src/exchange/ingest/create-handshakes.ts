import {
  buildMessage,
  correlationOf,
  emptyHelloBook,
  heardAck,
  readHello,
  receivedBatch,
  saidHello,
  serverSource,
  type Ack,
  type HeardHello,
  type Hello,
  type HelloBook,
} from '@fds/adaptor-protocol';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import type { Log } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { meetAdaptor, standingOf, toHello, type Channel } from '../../domain/meet-adaptor.js';
import type { Leases } from '../relay/open-leases.js';
import type { Relay } from '../relay/open-relay.js';
import { ensureChannels, loadChannels, lockChannels, saveChannel } from '../../store/channels/channel.js';
import { saveAcks } from '../../store/channels/delivery.js';
import { noteHubBehind } from './note-hub-behind.js';

/** A QUESTION wants a hello in answer. */
type Wanting = 'QUESTION' | 'STATEMENT';

/** Decides which adaptors this process serves, and speaks hello with them. Calls for one adaptor come one after another. */
export interface Handshakes {
  /** Does this process serve the adaptor? Takes it when no living process has it, and continues with it before it answers. */
  serves(adaptorUuid: string): Promise<boolean>;
  /** The adaptor says hello. Waits where another process has it, which may be dead. */
  receiveHello(adaptorUuid: string, heard: HeardHello): Promise<void>;
  /** The adaptor acknowledges: its position is compared with its hellos. */
  acknowledged(adaptorUuid: string, ack: Ack): void;
  /** Offers the adaptor no batches from now on, while this process serves it. */
  refuseBatches(adaptorUuid: string): void;
  /** Sends this end's position, because messages are missing. */
  sendPosition(adaptorUuid: string, how: Wanting): Promise<void>;
  /** This process serves the adaptor from now on, without having met it. Does nothing where it has. */
  continueWith(adaptorUuid: string): Promise<void>;
  /** Another process serves the adaptor. */
  forget(adaptorUuid: string): void;
}

export interface HandshakeDependencies {
  readonly database: Database;
  readonly bus: ServerBus;
  readonly view: CatalogView;
  readonly leases: Leases;
  readonly relay: Relay;
  readonly log: Log;
  readonly now: () => Date;
  readonly nowMs: () => number;
  readonly newUuid: () => string;
  /** When this process began, by the clock of the database. */
  readonly openedAt: Date;
  /** Last number of the adaptor's epoch that this process has acknowledged. */
  readonly acknowledgedUpto: (adaptorUuid: string, epoch: string | null) => number;
  /**
   * Called before the answer is sent. `hello` undefined: the adaptor continues with this process and has not sent its position.
   */
  readonly onMet: (channel: Channel, hello: Hello | undefined) => void;
}

/** Starts without a completed handshake. */
export const createHandshakes = (dependencies: HandshakeDependencies): Handshakes => {
  const { database, bus, view, leases, relay, log, now, nowMs, newUuid, openedAt, acknowledgedUpto, onMet } =
    dependencies;
  const books = new Map<string, HelloBook>();
  /** Those of another process; it may be dead. */
  const waiting = new Map<string, HeardHello>();
  /** Adaptors that sent a batch with a wrong frame: they are to send their events one by one. */
  const batchless = new Set<string>();
  /** Adaptors that were met since this process serves them. */
  const met = new Set<string>();
  /** Losses of each lease: when a lease is lost during a handshake, another process continues. */
  const losses = new Map<string, number>();
  const bookOf = (adaptorUuid: string): HelloBook => books.get(adaptorUuid) ?? emptyHelloBook;

  const sayHello = (channel: Channel, how: Wanting): void => {
    const { adaptorUuid } = channel;
    const id = newUuid();
    const hello = toHello(channel);
    // an acknowledgement of events committed since the channel was read may be in flight already
    const applied = Math.max(hello.applied, acknowledgedUpto(adaptorUuid, hello.epoch));
    const batch = batchless.has(adaptorUuid) ? {} : { batch: receivedBatch };
    const data = { ...hello, ...batch, applied, ...(how === 'QUESTION' ? { ask: true } : {}) };
    const correlationid = correlationOf(bookOf(adaptorUuid), id);
    books.set(adaptorUuid, saidHello(bookOf(adaptorUuid), standingOf(channel), id));
    const envelope = { id, source: serverSource, time: now().toISOString(), correlationid };
    bus
      .publish(adaptorUuid, 'hello', buildMessage('down/hello', { ...envelope, type: 'fds.hello.v1', data }))
      .catch((error: unknown) => log.debug({ err: error, adaptorUuid }, 'the bus did not take a hello'));
  };

  const loadChannel = async (adaptorUuid: string): Promise<Channel | undefined> => {
    await ensureChannels(database.pool, [adaptorUuid], newUuid);
    return (await loadChannels(database.pool, [adaptorUuid])).get(adaptorUuid);
  };

  const begin = (channel: Channel, hello: Hello | undefined, how: Wanting): void => {
    met.add(channel.adaptorUuid);
    onMet(channel, hello);
    sayHello(channel, how);
    const settled = hello?.epoch === channel.downEpoch ? hello.settled : undefined;
    relay.met(channel, hello?.batch, settled);
  };

  const meetUnsent = async (adaptorUuid: string, heard: HeardHello): Promise<boolean> => {
    const lossesBefore = losses.get(adaptorUuid);
    await relay.settleAcks();
    // an adaptor that sent a hello is a destination from here on, even if the change log is delayed
    await view.reloadAdaptor(adaptorUuid);
    await ensureChannels(database.pool, [adaptorUuid], newUuid);
    const outcome = await database.transaction(async (client) => {
      const stored = (await lockChannels(client, [adaptorUuid])).get(adaptorUuid);
      if (stored === undefined) return undefined;
      const circumstances = { nowMs: nowMs(), order: 'IN_ORDER' } as const;
      const { book, verdict: said } = readHello(bookOf(adaptorUuid), standingOf(stored), heard, circumstances);
      const isBehind = await noteHubBehind(client, stored, heard.hello, { openedAt, newUuid });
      const verdict = isBehind ? { ...said, own: 'RENEW' as const } : said;
      const channel = meetAdaptor(stored, heard.hello, verdict, newUuid);
      await saveChannel(client, channel);
      await saveAcks(client, [{ adaptorUuid, epoch: channel.downEpoch, upto: channel.downAcked }]);
      return { channel, book, verdict };
    });
    if (outcome === undefined || losses.get(adaptorUuid) !== lossesBefore) return false;
    books.set(adaptorUuid, outcome.book);
    begin(outcome.channel, heard.hello, outcome.verdict.ask ? 'QUESTION' : 'STATEMENT');
    return true;
  };

  /**
   * From the commit on the epoch of the channel may be another one. Nothing is sent from before it until the relay knows: a
   * message of the epoch that is over would come with a number that means another message in the new one.
   *
   * @returns whether it was met: another process may serve it by now
   */
  const meet = async (adaptorUuid: string, heard: HeardHello): Promise<boolean> => {
    const release = relay.hold(adaptorUuid);
    try {
      return await meetUnsent(adaptorUuid, heard);
    } finally {
      release();
    }
  };

  /**
   * The process before this one completed a handshake, and may have answered the waiting hello: continues from that
   * process's state.
   */
  const continueWith = async (adaptorUuid: string): Promise<void> => {
    const heard = waiting.get(adaptorUuid);
    if (met.has(adaptorUuid) && heard === undefined) return;
    if (heard === undefined) {
      const lossesBefore = losses.get(adaptorUuid);
      const channel = await loadChannel(adaptorUuid);
      if (channel !== undefined && losses.get(adaptorUuid) === lossesBefore) begin(channel, undefined, 'QUESTION');
    } else if (await meet(adaptorUuid, heard)) waiting.delete(adaptorUuid);
  };

  return {
    serves: async (adaptorUuid) => {
      if (!leases.holds(adaptorUuid) && !(await leases.acquire(adaptorUuid))) return false;
      await continueWith(adaptorUuid);
      return true;
    },
    receiveHello: async (adaptorUuid, heard) => {
      const isOurs = leases.holds(adaptorUuid) || (await leases.acquire(adaptorUuid));
      if (isOurs && (await meet(adaptorUuid, heard))) waiting.delete(adaptorUuid);
      else waiting.set(adaptorUuid, heard);
    },
    acknowledged: (adaptorUuid, ack) => {
      const book = books.get(adaptorUuid);
      if (book !== undefined) books.set(adaptorUuid, heardAck(book, ack));
    },
    sendPosition: async (adaptorUuid, how) => {
      const channel = await loadChannel(adaptorUuid);
      if (channel !== undefined) sayHello(channel, how);
    },
    refuseBatches: (adaptorUuid) => void batchless.add(adaptorUuid),
    continueWith,
    forget: (adaptorUuid) => {
      batchless.delete(adaptorUuid);
      losses.set(adaptorUuid, (losses.get(adaptorUuid) ?? 0) + 1);
      books.delete(adaptorUuid);
      met.delete(adaptorUuid);
    },
  };
};
