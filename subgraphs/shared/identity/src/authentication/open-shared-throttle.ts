import { createHash, randomUUID } from 'node:crypto';
import { openNotificationListener, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createAttemptThrottle, type AttemptThrottle } from './attempt-throttle.js';

export interface SharedThrottleOptions {
  readonly database: Pick<Database, 'notifications' | 'pool'>;
  readonly log: Log;
  readonly now: () => Date;
}

const channel = 'fds_attempts';

/** Names that were typed may be passwords: they leave the process as digests. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const message = /^(\S+) (failed|unknown|succeeded) (\S+) (\S+)$/;

/**
 * Opens a throttle that all processes on the database share: failures at one slow down attempts at the others within
 * milliseconds. Each process counts in its own memory and receives the counts of the others by notifications. An attempt
 * needs no statement; only a failure, or the success after one, does. While the database cannot be reached each counts for
 * itself.
 */
export const openSharedThrottle = async ({
  database,
  log,
  now,
}: SharedThrottleOptions): Promise<AttemptThrottle & Closable> => {
  const throttle = createAttemptThrottle(now);
  const self = randomUUID();
  let telling: Promise<unknown> = Promise.resolve();

  const tell = (what: 'failed' | 'unknown' | 'succeeded', account: string, address: string): void => {
    const text = `${self} ${what} ${account} ${address}`;
    telling = database.pool
      .query('SELECT pg_notify($1, $2)', [channel, text])
      .catch((error: unknown) => log.warn({ err: error }, 'cannot report a failed attempt to other processes'));
  };
  const hear = (text: string | undefined): void => {
    const [, sender, what, account = '', address = ''] = message.exec(text ?? '') ?? [];
    if (sender === undefined || sender === self) return;
    if (what === 'succeeded') throttle.succeeded(account, address);
    else throttle.failed(account, address, what === 'unknown' ? 'UNKNOWN' : 'KNOWN');
  };
  // every notification says all there is to say: nothing is to be looked for in between
  const listener = await openNotificationListener({ database, channel, onWake: hear, pollMs: 3_600_000, log });

  return {
    waitsOf: (account, address) => throttle.waitsOf(digestOf(account), digestOf(address)),
    failed: (account, address, kind) => {
      const keys = [digestOf(account), digestOf(address)] as const;
      throttle.failed(...keys, kind);
      tell(kind === 'KNOWN' ? 'failed' : 'unknown', ...keys);
    },
    succeeded: (account, address) => {
      const keys = [digestOf(account), digestOf(address)] as const;
      const hadFailed = throttle.succeeded(...keys);
      if (hadFailed) tell('succeeded', ...keys);
      return hadFailed;
    },
    close: async () => {
      await listener.close();
      await telling;
    },
  };
};
