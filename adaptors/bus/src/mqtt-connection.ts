import { Socket } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { coalesceWrites } from './coalesce-writes.js';
import { failuresBefore, waitBeforeAttempt } from './reconnection.js';

/** Logs the events of a connection, one line each; never credentials or payloads. */
export interface ConnectionLog {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
}

export interface MqttConnectionOptions {
  /** `tcp://host:port`, or a `tls:`, `ws:` or `wss:` address if the broker offers it. */
  readonly url: string;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  /** Topic filters, subscribed with QoS 1 after every connect. */
  readonly subscriptions: readonly string[] | (() => readonly string[]);
  /** Called at every attempt to connect: each connection has its own last will. */
  readonly will?: () => { readonly topic: string; readonly payload: string; readonly retain: boolean };
  /** Called after every connect, when the subscriptions are active. */
  readonly onUp: () => void;
  /** Called when a connection that was up is lost. */
  readonly onDown: () => void;
  /** Must not throw and is not awaited; the message is acknowledged to the broker at once. */
  readonly onMessage: (topic: string, payload: Uint8Array) => void;
  /** Called for each refusal of the credentials or of the client id. The connection keeps trying. */
  readonly onRefused?: (reason: string) => void;
  /**
   * Called for each attempt that does not reach the broker, or that the broker is not ready for. The connection keeps
   * trying.
   */
  readonly onUnreachable?: (reason: string) => void;
  readonly log: ConnectionLog;
}

/** A connection that stays up: it reconnects, with jitter, until it is closed. */
export interface MqttConnection {
  readonly connected: boolean;
  /**
   * Publishes with QoS 1. Resolves when the broker has the message. Rejects when the connection is down or goes down
   * before that.
   */
  publish(topic: string, payload: string, options?: { readonly retain: boolean }): Promise<void>;
  /**
   * Subscribes to more filters on the present connection; the caller adds them to `subscriptions` for later ones. Resolves when
   * the broker has confirmed them, or when there is no connection.
   */
  subscribe(filters: readonly string[]): Promise<void>;
  unsubscribe(filters: readonly string[]): void;
  /** Sends a DISCONNECT to the broker, so that no last will is sent. Idempotent. */
  close(): Promise<void>;
}

const keepaliveSeconds = 30;
const goodbyeTimeoutMs = 2_000;

const refusals: ReadonlySet<number> = new Set([2, 4, 5]);

const refusalReason = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'number' && refusals.has(error.code) ? error.message : undefined;

const tuneStream = ({ stream }: MqttClient): void => {
  // mqtt.js leaves Nagle's algorithm on; together with delayed acknowledgements it costs 40 ms a round trip
  if (stream instanceof Socket) stream.setNoDelay(true);
  coalesceWrites(stream);
};

/** Filters of one packet: brokers limit the size of packets, some to 64 KiB. */
const filtersAtOnce = 500;

const inPieces = (filters: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(filters.length / filtersAtOnce) }, (_, index) =>
    filters.slice(index * filtersAtOnce, (index + 1) * filtersAtOnce),
  );

/** @throws Error when the broker refuses a filter, or the connection ends */
const subscribePiece = (client: MqttClient, filters: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    // mqtt.js may not call the callback when the connection ends
    const onClose = (): void => reject(new Error('the connection ended'));
    client.once('close', onClose);
    client.subscribe(Object.fromEntries(filters.map((topic) => [topic, { qos: 1 }])), (error, granted) => {
      client.off('close', onClose);
      if (error !== null || (granted ?? []).some((grant) => grant.qos === 128)) {
        reject(error ?? new Error('the broker refuses a subscription'));
      } else resolve();
    });
  });

const subscribeTo = async (client: MqttClient, filters: readonly string[]): Promise<void> => {
  for (const piece of inPieces(filters)) await subscribePiece(client, piece);
};

const toWill = ({
  topic,
  payload,
  retain,
}: {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}) => ({ topic, retain, payload: Buffer.from(payload), qos: 1 as const });

/**
 * Connects, and reconnects whenever the connection is lost. Each attempt is a new client with a clean session. MQTT
 * does not repeat messages of an old connection; the sequences of the adaptor bus do.
 */
export const openMqttConnection = (options: MqttConnectionOptions): MqttConnection => {
  const { url, clientId, username, password, will, log } = options;
  const settings = (): IClientOptions => ({
    clientId,
    username,
    password,
    clean: true,
    keepalive: keepaliveSeconds,
    reconnectPeriod: 0,
    connectTimeout: 10_000,
    resubscribe: false,
    queueQoSZero: false,
    ...(will === undefined ? {} : { will: toWill(will()) }),
  });
  let client: MqttClient | undefined;
  let up = false;
  let upAtMs = 0;
  let ended = false;
  let closing: Promise<void> | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  // mqtt.js does not call the callback of a message that a lost connection left unacknowledged
  const waiting = new Set<(error: Error) => void>();

  const attempt = (): void => {
    const current = mqtt.connect(url, settings());
    client = current;
    current.on('connect', () => {
      tuneStream(current);
      const { subscriptions } = options;
      subscribeTo(current, typeof subscriptions === 'function' ? subscriptions() : subscriptions).then(
        () => {
          // the answer may arrive while the connection closes
          if (ended || client !== current) return;
          up = true;
          upAtMs = performance.now();
          log.info({ clientId }, 'connected to the message bus');
          options.onUp();
        },
        () => {
          if (ended) return;
          log.warn({ clientId }, 'the broker refuses the subscriptions');
          current.end(true);
        },
      );
    });
    current.on('message', (topic, payload) => options.onMessage(topic, payload));
    current.on('error', (error) => {
      const refusal = refusalReason(error);
      if (refusal === undefined) {
        if (failures === 0) log.warn({ clientId, reason: error.message }, 'the message bus is not reachable');
        options.onUnreachable?.(error.message);
      } else {
        log.warn({ clientId, reason: refusal }, 'the message bus refuses the credentials');
        options.onRefused?.(refusal);
      }
    });
    current.once('close', () => lost(current));
  };

  const lost = (current: MqttClient): void => {
    if (client !== current) return;
    client = undefined;
    current.end(true);
    const wasUp = up;
    up = false;
    for (const reject of waiting) reject(new Error('the message bus was lost before it acknowledged'));
    waiting.clear();
    if (wasUp) options.onDown();
    if (ended) return;
    if (wasUp) log.warn({ clientId }, 'lost the message bus');
    failures = failuresBefore(failures, wasUp ? performance.now() - upAtMs : 0);
    timer = setTimeout(attempt, waitBeforeAttempt(failures));
    failures += 1;
  };

  const publish = (topic: string, payload: string, { retain } = { retain: false }): Promise<void> =>
    new Promise((resolve, reject) => {
      if (client === undefined || !up) {
        reject(new Error('the message bus is not connected'));
        return;
      }
      waiting.add(reject);
      client.publish(topic, payload, { qos: 1, retain }, (error) => {
        waiting.delete(reject);
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
    });

  const sayGoodbye = async (): Promise<void> => {
    // set before the end: otherwise the connection reports its end and is opened again
    ended = true;
    clearTimeout(timer);
    const current = client;
    if (current === undefined) return;
    // without a connection there is no goodbye: mqtt.js would go on connecting
    if (!current.connected) {
      current.end(true);
      return;
    }
    await new Promise<void>((resolve) => {
      const impatience = setTimeout(() => {
        // a second `end` of mqtt.js does nothing
        current.stream.destroy();
        resolve();
      }, goodbyeTimeoutMs);
      current.end(false, () => {
        clearTimeout(impatience);
        resolve();
      });
    });
  };

  attempt();
  return {
    get connected() {
      return up;
    },
    publish,
    subscribe: async (filters) => {
      const current = client;
      if (current?.connected !== true) return;
      await subscribeTo(current, filters).catch(() => {
        if (ended || client !== current) return;
        log.warn({ clientId }, 'the broker refuses subscriptions');
        // the next connection subscribes to all of them
        current.end(true);
      });
    },
    unsubscribe: (filters) => {
      for (const piece of inPieces(filters)) client?.unsubscribe([...piece], () => undefined);
    },
    close: () => (closing ??= sayGoodbye()),
  };
};
