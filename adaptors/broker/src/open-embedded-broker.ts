import { randomUUID } from 'node:crypto';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Aedes, type AuthenticateError, type Client, type PublishPacket } from 'aedes';
import type { ServerBus } from '@fds/adaptor-bus';
import { coalesceWrites } from '@fds/adaptor-bus/coalesce-writes';
import { createUpDispatch, type DispatchLog, upMessageOf } from '@fds/adaptor-bus/up-dispatch';
import { adaptorSource, buildMessage, clientIdOf, roles, topicOf } from '@fds/adaptor-protocol';
import { type BrokerBound, type BrokerLimits, defaultBrokerLimits } from './connections/broker-limits.js';
import { createConnectionGate } from './connections/create-connection-gate.js';
import { createSubscriptionBook } from './connections/create-subscription-book.js';
import { adaptorOfClient, maySubscribe, refusalOfPublication } from './topic-rules.js';

/**
 * ACCEPTED. REFUSED: the credentials are wrong, or the adaptor may not connect. UNAVAILABLE: the check is not possible
 * now; the client may try again.
 */
export type Verdict = 'ACCEPTED' | 'REFUSED' | 'UNAVAILABLE';

export interface EmbeddedBrokerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Checks credentials; `address` is the address of the client. A rejection counts as UNAVAILABLE and never crashes the
   * process.
   */
  readonly authenticate: (username: string, password: string, address: string) => Promise<Verdict>;
  /** Name of the server in `replyinstance`. Default: a new uuid. */
  readonly instance?: string;
  /** A limit that is not given has its default. */
  readonly limits?: Partial<BrokerLimits>;
  /** Called for each packet, connection or subscription that a limit refuses or closes. */
  readonly onBoundHit?: (bound: BrokerBound) => void;
  readonly log: DispatchLog & {
    info(detail: object, message: string): void;
    warn(detail: object, message: string): void;
  };
}

export interface EmbeddedBroker {
  /** The port that the broker listens on. */
  readonly port: number;
  /** The server's end of the bus, in this process. */
  readonly bus: ServerBus;
  /** Closes the adaptor's live sessions, after the adaptor was deactivated or its secret was changed. */
  disconnect(adaptorUuid: string): void;
  /** Accepts no more messages, waits for handlers in flight, then closes all connections. Idempotent. */
  close(): Promise<void>;
}

// Messages that adaptors cannot repeat by a sequence are acknowledged only after they were handled.
/** Topics of the bus have at most seven levels. */
const maxTopicLevels = 8;

const acknowledgedWhenHandled: ReadonlySet<string> = new Set(['data', 'link', 'ops']);

const returnCodes = { REFUSED: 4, NOT_ALLOWED: 5, UNAVAILABLE: 3 } as const;

const refusal = (returnCode: number, message: string): AuthenticateError =>
  Object.assign<Error, { returnCode: number }>(new Error(message), { returnCode });

const addressOf = ({ conn }: Client): string =>
  'remoteAddress' in conn && typeof conn.remoteAddress === 'string' ? conn.remoteAddress : '';

const listen = async (handle: (socket: Socket) => void, host: string, port: number) => {
  const server = createServer({ noDelay: true }, handle);
  server.listen(port, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
};

/**
 * An MQTT 3.1.1 broker in this process. It keeps nothing on disk: the two ends send again what the broker loses. It
 * acknowledges data events to the adaptor's MQTT client after the handler committed them.
 *
 * @throws Error (such as EADDRINUSE) when it cannot listen
 */
export const openEmbeddedBroker = async (options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> => {
  const { log, instance: replyInstance = randomUUID(), onBoundHit = () => undefined } = options;
  const limits = { ...defaultBrokerLimits, ...options.limits };
  const gate = createConnectionGate(limits, onBoundHit);
  const subscriptions = createSubscriptionBook(limits.maxSubscriptions);
  const dispatch = createUpDispatch(log);
  const adaptors = new WeakMap<Client, string>();
  const live = new Map<string, Client>();
  const failed = new WeakSet<Client>();
  let closing: Promise<void> | undefined;

  const verdictOf = (username: string, password: string, address: string): Promise<Verdict> =>
    options.authenticate(username, password, address).catch((error: unknown) => {
      log.error({ adaptorUuid: username, err: error }, 'the credentials of an adaptor could not be checked');
      return 'UNAVAILABLE' as const;
    });

  const admit = async (client: Client, username: string, password: string): Promise<void> => {
    const verdict = await verdictOf(username, password, addressOf(client));
    if (verdict === 'UNAVAILABLE') throw refusal(returnCodes.UNAVAILABLE, 'credentials cannot be checked now');
    if (verdict === 'REFUSED') throw refusal(returnCodes.REFUSED, 'bad credentials');
    const adaptorUuid = adaptorOfClient(client.id, username);
    if (adaptorUuid === undefined) throw refusal(returnCodes.NOT_ALLOWED, "the client id is not the adaptor's");
    adaptors.set(client, adaptorUuid);
    if (client.conn instanceof Socket) gate.authenticated(client.conn);
  };

  const take = (client: Client | null, packet: PublishPacket): Promise<void> => {
    if (client === null) return Promise.resolve();
    // without an acknowledgement, the adaptor sends the message again
    if (closing !== undefined) return Promise.reject(new Error('the message bus is closing'));
    const adaptorUuid = adaptors.get(client);
    const { topic, retain, payload } = packet;
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const reason =
      adaptorUuid === undefined
        ? 'the client is not known'
        : refusalOfPublication(adaptorUuid, { topic, retain, bytes: body.byteLength });
    if (reason !== undefined) {
      log.warn({ adaptorUuid, clientId: client.id, reason }, 'refused a publication');
      return Promise.reject(new Error(reason));
    }
    const message = upMessageOf(topic, body, replyInstance);
    if (message === undefined) return Promise.resolve();
    const handled = dispatch.dispatch(message);
    if (acknowledgedWhenHandled.has(message.kind)) return handled;
    handled.catch(() => undefined); // the dispatch logs the failure
    return Promise.resolve();
  };

  /**
   * Reports DOWN for an adaptor that connected without a last will, or cancelled it by a DISCONNECT. If the adaptor
   * reported DOWN itself, this is a second report.
   */
  const sayDown = (adaptorUuid: string): void => {
    if (closing !== undefined) return;
    const payload = buildMessage('up/status', {
      id: randomUUID(),
      source: adaptorSource(adaptorUuid),
      type: 'fds.status.v1',
      time: new Date().toISOString(),
      data: { state: 'DOWN', sdk: { name: 'embedded broker', version: '1' } },
    });
    const handled = dispatch.dispatch({ adaptorUuid, kind: 'status', payload: Buffer.from(payload) });
    handled.catch(() => undefined); // the dispatch logs the failure
  };

  const broker = await Aedes.createBroker({
    // No limit: with a queue, one adaptor that does not read would stall every other one, and the recursion would be
    // unbounded.
    concurrency: 0,
    drainTimeout: 5_000,
    // the time limit of the gate is the effective one: it lasts until the client is authenticated
    connectTimeout: limits.connectMs * 2,
    // Messages of QoS 2 are kept until they are released
    maxInflightInbound: 16,
    maxTopicLevels,
    preConnect: (_client, packet, answer) => {
      // The bus contract has clean sessions only: other sessions would collect messages without a connection
      packet.clean = true;
      answer(null, true);
    },
    authenticate: (client, username, password, answer) => {
      admit(client, username ?? '', password?.toString() ?? '').then(
        () => answer(null, true),
        (error: AuthenticateError) => answer(error, false),
      );
    },
    authorizeSubscribe: (client, subscription, answer) => {
      const adaptorUuid = adaptors.get(client);
      const mayHave = adaptorUuid !== undefined && maySubscribe(adaptorUuid, subscription.topic);
      const allowed = mayHave && subscriptions.add(client, subscription.topic);
      if (mayHave && !allowed) onBoundHit('bus_subscriptions');
      if (!allowed) log.warn({ clientId: client.id }, 'refused a subscription');
      answer(null, allowed ? subscription : null);
    },
    authorizePublish: (client, packet, answer) => {
      take(client, packet).then(
        () => answer(null),
        (error: Error) => answer(error),
      );
    },
  });
  broker.on('client', (client: Client) => live.set(client.id, client));
  broker.on('clientDisconnect', (client: Client) => {
    if (live.get(client.id) !== client) return;
    live.delete(client.id);
    const adaptorUuid = adaptors.get(client);
    if (adaptorUuid !== undefined && client.id === clientIdOf(adaptorUuid, 'ops')) sayDown(adaptorUuid);
  });
  broker.on('unsubscribe', (filters: readonly string[], client: Client) => subscriptions.remove(client, filters));
  broker.on('connectionError', (_client: Client, error: Error) =>
    log.warn({ reason: error.message }, 'an MQTT connection failed'),
  );
  broker.on('clientError', (client: Client, error: Error) => {
    // each unread message of the client fails
    if (closing !== undefined || failed.has(client)) return;
    failed.add(client);
    log.warn({ clientId: client.id, reason: error.message }, 'an MQTT client failed');
  });

  const accept = (socket: Socket): void => {
    // a refused client may report a further error
    socket.on('error', () => undefined);
    if (!gate.enter(socket)) return;
    // acknowledgements are written together, after the messages of all adaptors that have arrived were handled
    coalesceWrites(socket);
    broker.handle(socket);
  };
  const { server, port } = await listen(accept, options.host, options.port).catch(async (error: unknown) => {
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    throw error;
  });

  const closeAll = async (): Promise<void> => {
    server.close();
    await dispatch.idle();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
  };
  const close = (): Promise<void> => (closing ??= closeAll());

  /** Closes the clients of the adaptor that leave too many bytes unread. */
  const cutUnread = (adaptorUuid: string): void => {
    for (const role of roles) {
      const client = live.get(clientIdOf(adaptorUuid, role));
      if (client === undefined || client.conn.destroyed || client.conn.writableLength <= limits.maxUnreadBytes)
        continue;
      onBoundHit('bus_unread');
      client.conn.destroy(new Error('too many bytes were left unread'));
    }
  };

  /** Bytes published since the unread bytes of all clients were last counted. */
  let uncountedBytes = 0;
  const countEveryBytes = Math.min(4 * 2 ** 20, limits.maxUnreadTotalBytes / 16);

  /** While all clients together leave too many bytes unread, closes the client with the most. */
  const cutUnreadTotal = (publishedBytes: number): void => {
    uncountedBytes += publishedBytes;
    if (uncountedBytes < countEveryBytes) return;
    uncountedBytes = 0;
    const unread = [...live.values()]
      .filter(({ conn }) => !conn.destroyed && conn.writableLength > 0)
      .sort((a, b) => b.conn.writableLength - a.conn.writableLength);
    let total = unread.reduce((sum, { conn }) => sum + conn.writableLength, 0);
    for (const { conn } of unread) {
      if (total <= limits.maxUnreadTotalBytes) return;
      total -= conn.writableLength;
      onBoundHit('bus_unread');
      conn.destroy(new Error('all clients together left too many bytes unread'));
    }
  };

  const bus: ServerBus = {
    handle: (kind, handler) => dispatch.handle(kind, handler),
    observe: (kind, observer) => dispatch.observe(kind, observer),
    reportsHandled: (adaptorUuid) => dispatch.reportsHandled(adaptorUuid),
    replyInstance,
    publish: (adaptorUuid, kind, payload) =>
      new Promise((resolve, reject) => {
        if (closing !== undefined) {
          reject(new Error('the message bus is closed'));
          return;
        }
        cutUnread(adaptorUuid);
        cutUnreadTotal(payload.length);
        const topic = topicOf({ adaptorUuid, channel: `down/${kind}` });
        broker.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, (error) =>
          error === undefined || error === null ? resolve() : reject(error),
        );
      }),
    get connected() {
      return closing === undefined;
    },
    reconnections: 0,
    close,
  };

  const disconnect = (adaptorUuid: string): void => {
    for (const role of roles) live.get(clientIdOf(adaptorUuid, role))?.close();
  };

  return { port, bus, disconnect, close };
};
