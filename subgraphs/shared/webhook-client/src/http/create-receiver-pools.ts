import { Pool } from 'undici';
import type { buildConnector } from 'undici';

export interface ReceiverPoolsOptions {
  readonly connect: buildConnector.connector;
  /** Receivers with open connections. More than the requests that run at once. */
  readonly maxReceivers: number;
  readonly connectionsPerReceiver: number;
}

/** Kept-alive connections by receiver, bounded in number. */
export interface ReceiverPools {
  /** Lends the connections of the origin for one task. */
  use<T>(origin: string, task: (pool: Pool) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const maxHeaderBytes = 16_384;
const idleMs = 10_000;
const maxIdleMs = 60_000;
/** A connection follows a changed address after this time. */
const maxAgeMs = 300_000;

interface Entry {
  readonly pool: Pool;
  users: number;
}

export const createReceiverPools = (options: ReceiverPoolsOptions): ReceiverPools => {
  const { connect, maxReceivers, connectionsPerReceiver } = options;
  /** The receiver used longest ago comes first. */
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<void>>();

  const end = (pool: Pool): void => {
    const ended = pool.destroy().finally(() => closing.delete(ended));
    closing.add(ended);
  };

  const makeRoom = (): void => {
    if (entries.size < maxReceivers) return;
    const idle = [...entries].find(([, { users }]) => users === 0);
    if (idle === undefined) return;
    entries.delete(idle[0]);
    end(idle[1].pool);
  };

  const entryOf = (origin: string): Entry => {
    const known = entries.get(origin);
    if (known === undefined) makeRoom();
    const pool =
      known?.pool ??
      new Pool(origin, {
        connect,
        connections: connectionsPerReceiver,
        pipelining: 1,
        maxHeaderSize: maxHeaderBytes,
        keepAliveTimeout: idleMs,
        keepAliveMaxTimeout: maxIdleMs,
        clientTtl: maxAgeMs,
      });
    const entry = known ?? { pool, users: 0 };
    entries.delete(origin);
    entries.set(origin, entry);
    return entry;
  };

  return {
    use: async (origin, task) => {
      const entry = entryOf(origin);
      entry.users += 1;
      try {
        return await task(entry.pool);
      } finally {
        entry.users -= 1;
      }
    },
    close: async () => {
      for (const { pool } of entries.values()) end(pool);
      entries.clear();
      await Promise.all(closing);
    },
  };
};
