import type { Closable, Log } from '@fds/service';
import type { Database } from './open-database.js';

export interface NotificationListenerOptions {
  readonly database: Pick<Database, 'notifications'>;
  /** Channel of LISTEN: `fds_change_log` or `fds_delivery`. */
  readonly channel: string;
  /**
   * Called for each notification with its text, and without a text after each reconnection and at each poll. Must not
   * throw. Several calls may follow each other without pause.
   */
  readonly onWake: (text?: string) => void;
  /** Maximum time between two calls: a process that ends between a commit and its notification only causes a delay. Default 1000. */
  readonly pollMs?: number;
  /**
   * Leaves out the news of this process' pipelined transactions, whose changes the caller knows from them.
   * Default false.
   */
  readonly ignoresPipelined?: boolean;
  readonly log?: Log;
}

/**
 * Listens to a channel, and polls. A notification only means that there is something to read.
 *
 * @returns after the first attempt to listen, whether or not it succeeded
 */
export const openNotificationListener = async ({
  database,
  channel,
  onWake,
  pollMs = 1_000,
  ignoresPipelined,
  log,
}: NotificationListenerOptions): Promise<Closable> => {
  const poll = setInterval(() => onWake(), pollMs);
  const stop = await database.notifications.listen({ channel, onWake, ignoresPipelined, log });
  return {
    close: async () => {
      clearInterval(poll);
      await stop();
    },
  };
};
