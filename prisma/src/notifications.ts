import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@fds/service';
import pg from 'pg';
import type { News } from './announcements.js';
import { retryDelayMs } from './retry-delay.js';

/** Listens to one channel of LISTEN. */
interface ChannelListener {
  readonly channel: string;
  /**
   * Called for each notification of other processes, and for news of this one, with its text; and without a text each time when the connection begins to listen:
   * earlier notifications are lost. Must not throw.
   */
  readonly onWake: (text?: string) => void;
  /** Leaves out the news of pipelined transactions of this process. Default false. */
  readonly ignoresPipelined?: boolean | undefined;
  readonly log?: Log | undefined;
}

/**
 * The notifications of the database for all listeners of a process, on one connection. PostgreSQL wakes every listening
 * connection when a transaction with a notification on any channel commits. The connection is open while there are
 * listeners, and reconnects with growing delay.
 */
export interface Notifications {
  /**
   * Adds a listener. Resolves after the first attempt to listen, whether or not it succeeded, with a function that
   * removes the listener. The function is idempotent; with the last listener it closes the connection.
   */
  listen(listener: ChannelListener): Promise<() => Promise<void>>;
  /** Wakes the listeners of this process: a transaction of it is committed. */
  wake(news: News, kind: 'PIPELINED' | 'OTHER'): void;
}

interface ListeningConnection {
  /** Listens to a channel; resolves with false when the connection is lost. */
  hear(channel: string): Promise<boolean>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly url: string;
  readonly onNotification: (notification: pg.Notification) => void;
  /** Called once, unless the connection was closed. */
  readonly onLost: (cause: Error) => void;
}

const openConnection = ({ url, onNotification, onLost }: ConnectionOptions): ListeningConnection => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'fds-listen',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  const heard = new Map<string, Promise<unknown>>();
  let isOver = false;
  const lose = (cause: unknown): void => {
    if (isOver) return;
    isOver = true;
    onLost(cause instanceof Error ? cause : new Error(String(cause)));
    client.end().catch(() => undefined);
  };
  client.on('error', lose);
  client.on('end', () => lose(new Error('connection ended')));
  client.on('notification', onNotification);
  const connected = client.connect();

  const listenTo = async (channel: string): Promise<void> => {
    await connected;
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  };
  return {
    hear: async (channel) => {
      const listening = heard.get(channel) ?? listenTo(channel);
      heard.set(channel, listening);
      try {
        await listening;
        return !isOver;
      } catch (error) {
        lose(error);
        return false;
      }
    },
    close: async () => {
      isOver = true;
      await client.end().catch(() => undefined);
    },
  };
};

/**
 * Opens no connection before the first listener.
 *
 * @param isOwn does the backend with this process id announce the news of this process?
 */
export const createNotifications = (url: string, isOwn: (processId: number) => boolean): Notifications => {
  const listeners = new Set<ChannelListener>();
  let connection: ListeningConnection | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  // the work of a listener belongs neither to the trace nor to the transaction that wakes it
  const apart = AsyncLocalStorage.snapshot();

  const begin = async (listener: ChannelListener): Promise<void> => {
    const isHeard = await connection?.hear(listener.channel);
    if (isHeard !== true) return;
    failures = 0;
    if (listeners.has(listener)) listener.onWake();
  };
  const reconnectLater = (cause: Error): void => {
    connection = undefined;
    failures += 1;
    for (const { channel, log } of listeners) {
      log?.warn({ channel, failures, reason: cause.message }, 'not listening to the database, will reconnect');
    }
    retry = setTimeout(() => {
      connect();
      for (const listener of listeners) void begin(listener);
    }, retryDelayMs(failures));
  };
  const connect = (): void => {
    retry = undefined;
    connection = openConnection({
      url,
      onNotification: ({ channel, payload, processId }) => {
        if (isOwn(processId)) return;
        for (const listener of listeners) if (listener.channel === channel) listener.onWake(payload);
      },
      onLost: reconnectLater,
    });
  };
  const remove = async (listener: ChannelListener): Promise<void> => {
    const isLast = listeners.delete(listener) && listeners.size === 0;
    if (!isLast) return;
    clearTimeout(retry);
    retry = undefined;
    const closing = connection;
    connection = undefined;
    await closing?.close();
  };

  return {
    listen: async (listener) => {
      listeners.add(listener);
      // during an outage, the next attempt is the one for all
      if (connection === undefined && retry === undefined) connect();
      await begin(listener);
      return () => remove(listener);
    },
    wake: (news, kind) => {
      for (const { channel, onWake, ignoresPipelined } of listeners) {
        if (kind === 'PIPELINED' && ignoresPipelined === true) continue;
        for (const [of, texts] of news) if (of === channel) for (const text of texts) apart(onWake, text);
      }
    },
  };
};
