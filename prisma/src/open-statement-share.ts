import { AppError } from '@fds/errors';
import { createFairQueue, QueueFull } from '@fds/service';
import type pg from 'pg';
import type { Queryable } from './queryable.js';

/** The caller of a statement. */
export interface StatementCaller {
  /** Callers of the same key have one share together. */
  readonly key: string;
  /** Aborted when the caller goes away: its statements are cancelled. */
  readonly signal?: AbortSignal | undefined;
}

/** Bounds of a share of the database. */
export interface StatementBounds {
  /** Statements of all callers that run at once. */
  readonly maxRunning: number;
  /** Statements of one caller that run at once. */
  readonly maxRunningPerCaller: number;
  /** Statements of one caller that wait. */
  readonly maxWaitingPerCaller: number;
  /** How long a statement may wait, and how long it may run, in milliseconds. */
  readonly timeoutMs: number;
}

/** Connections for statements that may be expensive. Nothing else waits for them, and callers have equal parts. */
export interface StatementShare {
  /**
   * A session of a caller; each of its statements waits for a separate place.
   *
   * @throws AppError RATE_LIMITED when too many statements of the caller wait, QUERY_TIMEOUT when one runs too long; the
   *   signal's reason when the caller has gone
   */
  sessionOf(caller: StatementCaller): Queryable;
  /** Waits for statements in flight. */
  close(): Promise<void>;
}

/** Called for each statement that reached a bound. */
export type OnStatementBound = (bound: 'search_queue' | 'statement_time') => void;

export interface StatementShareOptions {
  /** Owned by the share. Its statement time-out is that of the bounds. */
  readonly pool: pg.Pool;
  readonly bounds: StatementBounds;
  /** Cancels the statement that a backend runs. */
  readonly cancel: (processId: number) => Promise<unknown>;
  readonly onBoundHit: OnStatementBound;
}

/** Statements that were cancelled, by their time-out or for a caller who has gone. */
const queryCanceled = '57014';

/** Did the server cancel the statement? */
export const isCanceled = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === queryCanceled;

/** The error of a statement that its time-out ended. */
export const timedOut = (cause: unknown, onBoundHit: OnStatementBound): AppError => {
  onBoundHit('statement_time');
  return new AppError('QUERY_TIMEOUT', 'the statement ran too long and was cancelled', { cause });
};

const processIdOf = (client: pg.PoolClient): number | undefined =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : undefined;

export const openStatementShare = ({ pool, bounds, cancel, onBoundHit }: StatementShareOptions): StatementShare => {
  const queue = createFairQueue({
    places: bounds.maxRunning,
    placesPerCaller: bounds.maxRunningPerCaller,
    waitingPerCaller: bounds.maxWaitingPerCaller,
    maxWaitMs: bounds.timeoutMs,
  });

  const runOn = async <R extends pg.QueryResultRow>(
    client: pg.PoolClient,
    statement: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): Promise<pg.QueryResult<R>> => {
    let cancelling: Promise<unknown> | undefined;
    const leave = (): void => {
      const processId = processIdOf(client);
      if (processId !== undefined) cancelling = cancel(processId).catch(() => undefined);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await client.query<R>(statement);
    } catch (error) {
      signal?.throwIfAborted();
      throw isCanceled(error) ? timedOut(error, onBoundHit) : error;
    } finally {
      signal?.removeEventListener('abort', leave);
      // a late cancellation must not meet the connection's next statement
      await cancelling;
    }
  };

  const run = async <R extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
    { key, signal }: StatementCaller,
  ): Promise<pg.QueryResult<R>> => {
    try {
      return await queue.run(
        key,
        async () => {
          const client = await pool.connect();
          try {
            return await runOn<R>(client, statement, signal);
          } finally {
            client.release();
          }
        },
        signal,
      );
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      onBoundHit('search_queue');
      throw new AppError('RATE_LIMITED', 'too many searches of one caller wait', { cause: error });
    }
  };

  return {
    sessionOf: (caller) => ({
      origin: pool,
      query: (statement, values) =>
        run(typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement, caller),
    }),
    close: () => pool.end(),
  };
};
