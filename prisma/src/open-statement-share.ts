import { AppError } from '@fds/errors';
import { createFairQueue, QueueFull } from '@fds/service';
import type pg from 'pg';
import { processIdOf } from './process-id-of.js';
import { socketOf } from './socket-of.js';
import { createConnectionStatements } from './connection-statements.js';
import type { Queryable } from './queryable.js';

/** The caller of a statement. */
export interface StatementCaller {
  /** Callers with the same key share one part. */
  readonly key: string;
  /** Aborted when the caller disconnects: its statements are cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The operation of the statements: all their answers together have one limit. Absent: each statement has its own
   * limit.
   */
  readonly operation?: object | undefined;
}

/** Limits of a share of the database. */
export interface StatementBounds {
  /** Maximum number of running statements of all callers. */
  readonly maxRunning: number;
  /** Maximum number of running statements of one caller. */
  readonly maxRunningPerCaller: number;
  /** Maximum number of waiting statements of one caller. */
  readonly maxWaitingPerCaller: number;
  /** Maximum time of a statement to wait, and to run, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of bytes that the database may send for one operation. */
  readonly maxAnswerBytes: number;
}

/**
 * Connections for statements that may be expensive. Other work does not wait for them, and callers have equal parts.
 * Each connection keeps a limited number of named statements prepared.
 */
export interface StatementShare {
  /**
   * Returns a session of a caller. Each of its statements waits for its turn.
   *
   * @throws AppError RATE_LIMITED when too many statements of the caller wait, QUERY_TIMEOUT when one runs too long,
   * QUERY_TOO_COMPLEX when the answers of the operation are too large; the signal's reason when the caller has
   * disconnected
   */
  sessionOf(caller: StatementCaller): Queryable;
  /** Waits for statements in flight. */
  close(): Promise<void>;
}

/** Called for each statement that reached a limit. */
export type OnStatementBound = (bound: 'search_queue' | 'statement_time' | 'answer_bytes') => void;

export interface StatementShareOptions {
  /** Owned by the share. Its statement time-out is the time-out of the limits. */
  readonly pool: pg.Pool;
  readonly bounds: StatementBounds;
  /** Cancels the running statement of a backend. */
  readonly cancel: (processId: number) => Promise<unknown>;
  readonly onBoundHit: OnStatementBound;
}

/** Code of a statement that was cancelled, by its time-out or because its caller disconnected. */
const queryCanceled = '57014';

/** Did the server cancel the statement? */
export const isCanceled = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === queryCanceled;

/** The error for a statement that its time-out ended. */
export const timedOut = (cause: unknown, onBoundHit: OnStatementBound): AppError => {
  onBoundHit('statement_time');
  return new AppError('QUERY_TIMEOUT', 'the statement ran too long and was cancelled', { cause });
};

/** The error for an operation whose answers are too large. */
const tooLarge = (maxBytes: number, onBoundHit: OnStatementBound): AppError => {
  onBoundHit('answer_bytes');
  return new AppError('QUERY_TOO_COMPLEX', `the answer has more than ${maxBytes} bytes: ask for a smaller page`, {
    details: { maxBytes },
  });
};

export const openStatementShare = ({ pool, bounds, cancel, onBoundHit }: StatementShareOptions): StatementShare => {
  /** Number of bytes that each operation has received. */
  const receivedBytes = new WeakMap<object, number>();
  const connectionStatements = createConnectionStatements();
  const queue = createFairQueue({
    places: bounds.maxRunning,
    placesPerCaller: bounds.maxRunningPerCaller,
    waitingPerCaller: bounds.maxWaitingPerCaller,
    maxWaitMs: bounds.timeoutMs,
  });

  const runOn = async <R extends pg.QueryResultRow>(
    client: pg.PoolClient,
    statement: pg.QueryConfig,
    { signal, operation = statement }: StatementCaller,
  ): Promise<pg.QueryResult<R>> => {
    let cancelling: Promise<unknown> | undefined;
    let isTooLarge = false;
    const socket = socketOf(client);
    // rows are kept until the last one arrives, so bytes are counted as they arrive
    const count = ({ length }: Buffer): void => {
      const received = (receivedBytes.get(operation) ?? 0) + length;
      receivedBytes.set(operation, received);
      if (received <= bounds.maxAnswerBytes || isTooLarge) return;
      isTooLarge = true;
      leave();
    };
    const leave = (): void => {
      const processId = processIdOf(client);
      if (processId !== undefined) cancelling = cancel(processId).catch(() => undefined);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave, { once: true });
    socket?.on('data', count);
    try {
      const result = await client.query<R>(statement);
      // the last rows arrived before the cancellation
      if (isTooLarge) throw tooLarge(bounds.maxAnswerBytes, onBoundHit);
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      if (isTooLarge && isCanceled(error)) throw tooLarge(bounds.maxAnswerBytes, onBoundHit);
      throw isCanceled(error) ? timedOut(error, onBoundHit) : error;
    } finally {
      socket?.off('data', count);
      signal?.removeEventListener('abort', leave);
      // a late cancellation must not hit the next statement of the connection
      await cancelling;
    }
  };

  const run = async <R extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
    caller: StatementCaller,
  ): Promise<pg.QueryResult<R>> => {
    const { key, signal } = caller;
    try {
      return await queue.run(
        key,
        async () => {
          const client = await pool.connect();
          try {
            return await runOn<R>(client, await connectionStatements.admit(client, statement), caller);
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
