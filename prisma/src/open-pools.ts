import pg from 'pg';

/** The connections of a share of the database. */
export interface PoolUse {
  readonly share: string;
  readonly busy: number;
  readonly idle: number;
}

/** Called when a share gets a connection, with the time in milliseconds that it waited. Must not throw. */
export type OnPoolWait = (share: string, ms: number) => void;

/** Opens the pools of a process, and knows how they are used. */
export interface Pools {
  /**
   * Opens a pool. A broken connection fails its query and is replaced on its next use. The caller ends the pool.
   *
   * @param share name of the pool in figures
   */
  open(share: string, config: pg.PoolConfig): pg.Pool;
  /** Counts the connections of a pool that was opened elsewhere, and measures its waits. */
  watch(share: string, pool: pg.Pool): void;
  uses(): readonly PoolUse[];
}

type OnConnected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Measures the time until the pool gives a connection, which its own statements wait for too. */
const measureWaits = (pool: pg.Pool, onWait: (ms: number) => void): void => {
  const connect = pool.connect.bind(pool) as (callback: OnConnected) => void;
  const measured = (callback: OnConnected): void => {
    if (pool.idleCount > 0 && pool.waitingCount === 0) {
      onWait(0);
      connect(callback);
      return;
    }
    const begin = performance.now();
    connect((error, client, done) => {
      onWait(performance.now() - begin);
      callback(error, client, done);
    });
  };
  const value = (callback?: OnConnected): Promise<pg.PoolClient> | void => {
    if (callback !== undefined) return measured(callback);
    return new Promise((resolve, reject) => {
      measured((error, client) => (client === undefined ? reject(error) : resolve(client)));
    });
  };
  Object.defineProperty(pool, 'connect', { value });
};

export const createPools = (onWait: OnPoolWait): Pools => {
  const pools: (readonly [string, pg.Pool])[] = [];
  const watch = (share: string, pool: pg.Pool): void => {
    pools.push([share, pool]);
    measureWaits(pool, (ms) => onWait(share, ms));
  };
  return {
    open: (share, config) => {
      const pool = new pg.Pool(config);
      // an error on an idle connection or in a transaction would otherwise end the process
      pool.on('error', () => undefined);
      pool.on('connect', (client) => client.on('error', () => undefined));
      watch(share, pool);
      return pool;
    },
    watch,
    uses: () =>
      pools.map(([share, { totalCount, idleCount }]) => ({ share, busy: totalCount - idleCount, idle: idleCount })),
  };
};
