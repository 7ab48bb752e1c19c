import { inSpan } from '@fds/service';
import type pg from 'pg';
import {
  isCanceled,
  openStatementShare,
  timedOut,
  type OnStatementBound,
  type StatementBounds,
  type StatementShare,
} from './open-statement-share.js';
import { processIdOf } from './process-id-of.js';
import { socketOf } from './socket-of.js';
import { transactionSpan } from './transaction-span.js';
import { exactTypes } from './exact-types.js';
import type { PrismaClient } from './generated/client.js';
import { joinWrites } from './join-writes.js';
import { createAnnouncer, type News, withNews } from './announcements.js';
import { joinedScope, runJoined, type JoinedResult, type JoinedScope, type JoinedWork } from './joined-work.js';
import { createNotifications, type Notifications } from './notifications.js';
import { openLazily } from './open-lazily.js';
import { createPools, type OnPoolWait, type PoolUse } from './open-pools.js';
import { openJoinedPrisma, openPrisma } from './open-prisma.js';
import type { Queryable } from './queryable.js';

export type Prisma = PrismaClient;
/** The client inside `prisma.$transaction(async (tx) => ...)`. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];
export type SqlClient = pg.ClientBase;

/** Runs statements: the pool, a separate connection, or a transaction. */
export interface SqlSession {
  query<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

/** A reader of the change log, for figures. */
export interface NamedLogReader {
  readonly name: string;
  /** Every entry up to it is read. */
  position(): bigint;
}

/** The deployment's database: Prisma for ordinary work, and typed SQL for hot paths, with the same configuration. */
export interface Database {
  readonly url: string;
  /** Its reads outside of a transaction have the time-out and the connections of `reads`. */
  readonly prisma: Prisma;
  /** For writes, background work and everything that may take long. It has no time-out. */
  readonly pool: pg.Pool;
  /** For reads of single resources. It has separate connections and a time-out. */
  readonly reads: Queryable;
  /** For searches. It has separate connections, a time-out, and an equal share for each caller. */
  readonly searches: StatementShare;
  /** Notifications for all listeners, on one connection. It is open while there are listeners. */
  readonly notifications: Notifications;
  /** The open readers of the change log with names. */
  readonly logReaders: Set<NamedLogReader>;
  /** The connections of each share at present. */
  poolUses(): readonly PoolUse[];
  /** Checks that the database answers, on a connection that nothing else uses. */
  ping(): Promise<void>;
  /**
   * Runs work in one SQL transaction: commits when the work resolves, and rolls back when it throws. After a
   * serialization failure or a deadlock, the caller may repeat the call.
   */
  transaction<T>(work: (client: SqlClient) => Promise<T>): Promise<T>;
  /**
   * Like `transaction`, but a statement does not wait for the answers of earlier ones, and the commit waits for no
   * statement: a statement that the work does not await costs no round trip. If a statement fails, the whole
   * transaction is rolled back, whether or not the statement is awaited. There are only two connections for such
   * transactions.
   */
  pipelinedTransaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /**
   * Runs work in which every session of this database, also a transaction, uses one transaction. It is committed when
   * the result says so, otherwise rolled back. Changes are logged at the commit. One joined work runs at a time.
   */
  joined<T>(work: (joined: JoinedWork) => Promise<JoinedResult<T>>): Promise<T>;
  /**
   * Runs an effect outside of the database, such as a message to an adaptor. In joined work it runs after the commit, and never
   * when the work is rolled back; otherwise at once.
   */
  afterCommit(effect: () => Promise<void>): Promise<void>;
  /** Closes all connections. Idempotent. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Maximum number of connections of the SQL pool, of the reads, and of Prisma's transactions and reads. Default 10.
   */
  readonly maxConnections?: number;
  /** Limits of searches. Default: `defaultSearchBounds`. */
  readonly searchBounds?: StatementBounds;
  /** Maximum time of a read other than a search, in milliseconds. Default 30 000. */
  readonly readTimeoutMs?: number;
  /** Called for each statement that reached a limit. */
  readonly onBoundHit?: OnStatementBound;
  /** Called each time when work gets a connection. */
  readonly onPoolWait?: OnPoolWait;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
}

/** Process ids of the backends of a pool's open connections. */
const processesOf = (pool: pg.Pool): ReadonlySet<number> => {
  const processes = new Set<number>();
  const change = (client: pg.PoolClient, apply: (processId: number) => unknown): void => {
    const processId = processIdOf(client);
    if (processId !== undefined) apply(processId);
  };
  pool.on('connect', (client) => change(client, (processId) => processes.add(processId)));
  pool.on('remove', (client) => change(client, (processId) => processes.delete(processId)));
  return processes;
};

const pipelinedConnections = 2;
/**
 * A named statement of a pipelined transaction is planned once for each connection. The plan is kept while the tables grow,
 * so it must find its rows by an index however small they are: without this setting, a plan for a small table scans it.
 */
const planOnce = 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off';
/** Prisma ends a transaction that takes longer (`inTransaction`); this time-out also ends its statement. */
const transactionTimeoutMs = 20_000;
/** One connection for pings, one for cancellations. */
const controlConnections = 2;

/** Half of a pool's default number of connections, so that one caller leaves connections to others. */
export const defaultSearchBounds: StatementBounds = {
  maxRunning: 6,
  maxRunningPerCaller: 3,
  maxWaitingPerCaller: 50,
  timeoutMs: 10_000,
  maxAnswerBytes: 32 * 2 ** 20,
};

/** The session of one transaction, which has begun. `commit` waits for all statements. */
const beginPipeline = (client: pg.PoolClient): { readonly session: SqlSession; commit(): Promise<void> } => {
  const socket = socketOf(client);
  const join = socket === undefined ? () => undefined : joinWrites(socket);
  const send = <R extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<pg.QueryResult<R>> => {
    join();
    return client.query<R>(statement);
  };
  const begun = send('BEGIN');
  const sent: Promise<unknown>[] = [begun];
  begun.catch(() => undefined);
  return {
    session: {
      query: <R extends pg.QueryResultRow>(statement: pg.QueryConfig) => {
        const sentAnswer = send<R>(statement);
        // an answer is only valid if the transaction has begun
        const answer = begun.then(() => sentAnswer);
        sentAnswer.catch(() => undefined);
        answer.catch(() => undefined);
        sent.push(answer);
        return answer;
      },
    },
    commit: async () => {
      // after a failed statement, COMMIT commits nothing: the server answers it with a rollback
      const committed = send('COMMIT');
      await Promise.all([...sent, committed]);
    },
  };
};

/** Runs work on a connection of the pool. If the work throws, its transaction is rolled back. */
const onConnection = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      failure = rollbackError;
    });
    throw error;
  } finally {
    client.release(failure);
  }
};

/** An object whose members are those of another one while joined work runs. */
const byScope = <Used extends object>(ordinary: Used, find: (scope: JoinedScope) => Partial<Used>): Used =>
  new Proxy({} as Used, {
    get: (_empty, member) => {
      const scope = joinedScope();
      const replaced: unknown = scope === undefined ? undefined : Reflect.get(find(scope), member);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(ordinary, member);
      return typeof value === 'function' ? value.bind(ordinary) : value;
    },
  });

/** A session that is part of the joined transaction while joined work runs. */
const joinable = ({ origin, query }: Queryable): Queryable => ({
  ...(origin === undefined ? {} : { origin }),
  query: (statement, values) => {
    const scope = joinedScope();
    return scope === undefined ? query(statement, values) : scope.client.query(statement as pg.QueryConfig, values);
  },
});

/** Opens the database. Connects on first use. The caller must close it. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { url, maxConnections = 10, applicationName = 'fds', onBoundHit = () => undefined } = options;
  const { searchBounds = defaultSearchBounds, readTimeoutMs = 30_000 } = options;
  const connection = { connectionString: url, max: maxConnections, application_name: applicationName };
  const pools = createPools(options.onPoolWait ?? (() => undefined));
  const pool = pools.open('work', { ...connection, types: exactTypes });
  const pipelinedPool = pools.open('events', {
    ...connection,
    max: pipelinedConnections,
    pipeline: true,
    types: exactTypes,
  });
  pipelinedPool.on('connect', (client) => {
    // a connection that fails here fails its first statement too
    client.query(planOnce).catch(() => undefined);
  });
  const announcePool = pools.open('announce', { ...connection, max: 1 });
  const announcers = processesOf(announcePool);
  const announcer = createAnnouncer(announcePool);
  const notifications = createNotifications(url, (processId) => announcers.has(processId));
  const announce =
    (kind: 'PIPELINED' | 'OTHER') =>
    (news: News): void => {
      notifications.wake(news, kind);
      announcer.announce(news);
    };
  const controlPool = pools.open('control', { ...connection, max: controlConnections });
  const timedReads = (
    share: string,
    config: pg.PoolConfig,
  ): { readonly pool: pg.Pool; readonly session: Queryable } => {
    const timed = pools.open(share, { ...config, statement_timeout: readTimeoutMs });
    const query: Queryable['query'] = async <R extends pg.QueryResultRow>(
      statement: string | pg.QueryConfig,
      values?: unknown[],
    ) => {
      try {
        return await timed.query<R>(statement, values);
      } catch (error) {
        throw isCanceled(error) ? timedOut(error, onBoundHit) : error;
      }
    };
    return { pool: timed, session: { query } };
  };
  const reads = timedReads('reads', { ...connection, types: exactTypes });
  const modelReads = timedReads('models', connection);
  const searches = openStatementShare({
    pool: pools.open('searches', {
      ...connection,
      types: exactTypes,
      max: searchBounds.maxRunning,
      statement_timeout: searchBounds.timeoutMs,
    }),
    bounds: searchBounds,
    cancel: (processId) => controlPool.query('SELECT pg_cancel_backend($1)', [processId]),
    onBoundHit,
  });
  const ordinary = openLazily(
    () =>
      openPrisma({
        transactions: { ...connection, statement_timeout: transactionTimeoutMs },
        statements: modelReads.session,
        onPool: (opened) => pools.watch('transactions', opened),
      }),
    announce('OTHER'),
  );
  const forJoined = openLazily(() => openJoinedPrisma(connection), announce('OTHER'));
  const prisma = byScope(ordinary.prisma, () => forJoined.prisma);
  const joinablePool = byScope(pool, (scope) => ({
    query: scope.client.query.bind(scope.client),
    connect: () => scope.connect(),
  }));
  let closing: Promise<void> | undefined;

  const transaction: Database['transaction'] = (work) =>
    inSpan(transactionSpan, (span) =>
      withNews(
        () =>
          onConnection(joinablePool, async (client) => {
            await client.query('BEGIN');
            if (span?.isRecorded === true) {
              await client.query("SELECT set_config('fds.traceparent', $1, true)", [span.traceparent]);
            }
            const result = await work(client);
            await client.query('COMMIT');
            return result;
          }),
        announce('OTHER'),
      ),
    );

  const pipelinedTransaction: Database['pipelinedTransaction'] = (work) => {
    if (joinedScope() !== undefined) return transaction(work);
    return withNews(
      () =>
        onConnection(pipelinedPool, async (client) => {
          const { session, commit } = beginPipeline(client);
          const result = await work(session);
          await commit();
          return result;
        }),
      announce('PIPELINED'),
    );
  };

  let joinedBefore: Promise<unknown> = Promise.resolve();
  const joined: Database['joined'] = (work) => {
    const run = joinedBefore.then(() =>
      withNews(() => runJoined({ connectionString: url, application_name: applicationName }, work), announce('OTHER')),
    );
    joinedBefore = run.catch(() => undefined);
    return run;
  };

  const close = async (): Promise<void> => {
    await ordinary.close();
    await forJoined.close();
    await announcer.close();
    const opened = [announcePool, pool, pipelinedPool, reads.pool, modelReads.pool];
    await Promise.all([...opened.map((each) => each.end()), searches.close()]);
    // until here, statements in flight may still be cancelled
    await controlPool.end();
  };

  return {
    url,
    prisma,
    pool: joinablePool,
    reads: joinable(reads.session),
    searches: { ...searches, sessionOf: (caller) => joinable(searches.sessionOf(caller)) },
    notifications,
    logReaders: new Set(),
    poolUses: pools.uses,
    ping: async () => {
      await controlPool.query('SELECT 1');
    },
    transaction,
    pipelinedTransaction,
    joined,
    afterCommit: async (effect) => {
      const scope = joinedScope();
      if (scope === undefined) await effect();
      else scope.keepEffect(effect);
    },
    close: () => (closing ??= close()),
  };
};
