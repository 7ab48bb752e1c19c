import type { Closable, Log } from '@fds/service';
import pg from 'pg';
import type { Database } from './open-database.js';
import { retryDelayMs } from './retry-delay.js';

export interface NotificationListenerOptions {
  readonly database: Pick<Database, 'url'>;
  /** Channel of LISTEN: `fds_change_log` or `fds_delivery`. */
  readonly channel: string;
  /**
   * Called for each notification with its text, and without a text after each reconnection and at each poll. Must not
   * throw. Several calls may follow each other without pause.
   */
  readonly onWake: (text?: string) => void;
  /** Maximum time between two calls, so that a lost notification only causes a delay. Default 1000. */
  readonly pollMs?: number;
  readonly log?: Log;
}

/**
 * Listens on a separate connection, which reconnects with growing delay while it is open. A notification only means
 * that there is something to read.
 *
 * @returns after the first attempt to connect, whether or not it succeeded
 */
export const openNotificationListener = async ({
  database,
  channel,
  onWake,
  pollMs = 1_000,
  log,
}: NotificationListenerOptions): Promise<Closable> => {
  let closed = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;

  const reconnectLater = (cause: Error): void => {
    if (closed) return;
    client = undefined;
    failures += 1;
    log?.warn({ channel, failures, reason: cause.message }, 'not listening to the database, will reconnect');
    clearTimeout(retry);
    retry = setTimeout(() => void connect(), retryDelayMs(failures));
  };

  const connect = async (): Promise<void> => {
    const attempt = new pg.Client({
      connectionString: database.url,
      application_name: `fds-listen-${channel}`,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    let lost = false;
    const lose = (cause: Error): void => {
      if (lost) return;
      lost = true;
      reconnectLater(cause);
      attempt.end().catch(() => undefined);
    };
    attempt.on('error', lose);
    attempt.on('end', () => lose(new Error('connection ended')));
    attempt.on('notification', ({ payload }) => onWake(payload));
    client = attempt;
    try {
      await attempt.connect();
      await attempt.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      failures = 0;
      // notifications from before this connection listened are lost
      if (!closed) onWake();
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const poll = setInterval(() => onWake(), pollMs);
  await connect();

  return {
    close: async () => {
      closed = true;
      clearInterval(poll);
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
};
