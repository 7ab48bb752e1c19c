import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { regclassName } from './identifier.js';

/** A transaction of the source that has written and is still open. */
interface OpenWriter {
  readonly id: string;
  /** Microseconds since the epoch. Undefined: the user may not see it. */
  readonly startedAt: bigint | undefined;
}

/** The open writers, and the time of the database before it looked at them. */
export interface WritersLook {
  /** Microseconds since the epoch. A writer that begins after the look has a later time. */
  readonly now: bigint;
  readonly writers: readonly OpenWriter[];
}

/** A look without writers has one row, which has the time only. */
interface WriterRow {
  readonly moment: string;
  readonly id: string | number | null;
  readonly started?: string | null;
}

/**
 * Transactions with a lock of a writer on the table or a part of it; for a view, on any table of the database. The time is that at which the
 * statement arrives.
 */
const postgresqlWriters = `WITH RECURSIVE part AS (
    SELECT to_regclass(?)::oid AS id UNION SELECT i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.id)
  SELECT statement_timestamp()::text AS moment, writer.id, writer.started FROM (SELECT) AS look LEFT JOIN (SELECT l.virtualtransaction AS id, min(floor(extract(epoch FROM a.xact_start) * 1000000)::bigint)::text AS started
  FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
    AND l.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.relation IN (SELECT id FROM part)
      OR EXISTS (SELECT FROM part JOIN pg_class c ON c.oid = part.id AND c.relkind IN ('v', 'm', 'f')))
  GROUP BY l.virtualtransaction) AS writer ON true`;

/** InnoDB does not show the tables that a transaction has written. The time is that at which the statement begins. */
const mysqlWriters = `SELECT UTC_TIMESTAMP(6) AS moment, writer.id FROM (SELECT 1) AS look LEFT JOIN (
    SELECT trx_id AS id FROM information_schema.innodb_trx
    WHERE trx_rows_modified > 0 AND trx_mysql_thread_id <> connection_id()) AS writer ON true`;

/** MySQL and MariaDB: the user lacks the right PROCESS. */
const refusedErrno = 1227;

/** InnoDB renews its list of transactions only when no client has read it for 100 ms. */
const innodbIdleMs = 120;

/** The looks at the transactions of one server. */
interface SharedLooks {
  /** A look that has not begun. All tables that ask in the meantime share it. */
  next: Promise<readonly WriterRow[]> | undefined;
  /** Settles with the end of the last look. */
  last: Promise<unknown>;
  lastEndedAtMs: number;
}

const looks = new WeakMap<Knex, SharedLooks>();

const lookAtInnodb = (connection: Knex): Promise<readonly WriterRow[]> => {
  const shared = looks.get(connection) ?? { next: undefined, last: Promise.resolve(), lastEndedAtMs: -Infinity };
  looks.set(connection, shared);
  const begin = async (): Promise<readonly WriterRow[]> => {
    await shared.last;
    const restMs = shared.lastEndedAtMs + innodbIdleMs - performance.now();
    if (restMs > 0) await delay(restMs);
    shared.next = undefined;
    const answer: Promise<readonly [readonly WriterRow[], unknown]> = Promise.resolve(connection.raw(mysqlWriters));
    const ended = (): void => {
      shared.lastEndedAtMs = performance.now();
    };
    shared.last = answer.then(ended, ended);
    return (await answer)[0];
  };
  return (shared.next ??= begin());
};

const toLook = (rows: readonly WriterRow[]): WritersLook => {
  const now = parseTimestamp(rows[0]?.moment ?? '');
  if (now === undefined) throw new Error('the database did not return its time');
  const writers = rows.flatMap(({ id, started }): OpenWriter[] =>
    id === null
      ? []
      : [{ id: String(id), startedAt: started === undefined || started === null ? undefined : BigInt(started) }],
  );
  return { now, writers };
};

/**
 * The transactions that may still commit rows of the table with an earlier time. One statement.
 *
 * @returns undefined: the database does not show them, or not to this user
 * @throws Error when the source does not answer
 */
export const lookForWriters = async (
  connection: Knex,
  dialect: Dialect,
  dataSource: TableMetadata['dataSource'],
): Promise<WritersLook | undefined> => {
  if (dialect === 'postgresql') {
    const { rows } = await connection.raw<{ rows: readonly WriterRow[] }>(postgresqlWriters, [
      regclassName(dataSource),
    ]);
    return toLook(rows);
  }
  if (dialect !== 'mysql') return undefined;
  try {
    return toLook(await lookAtInnodb(connection));
  } catch (error) {
    if ((error as { readonly errno?: unknown }).errno === refusedErrno) return undefined;
    throw error;
  }
};

/** Follows the open writers of one table from look to look. */
export interface WriterWatch {
  /**
   * The time from which rows may still be committed: nothing earlier is missing.
   *
   * @param now time of the look, microseconds since the epoch
   * @param known everything earlier was complete before the first look
   */
  completeUntil(writers: readonly OpenWriter[], now: bigint, known: bigint): bigint;
}

/**
 * A writer whose start is not visible began to write after the last look at which it was absent. A row of PostgreSQL has
 * the start of its transaction as its time, a row of MySQL that of the statement.
 */
export const createWriterWatch = (): WriterWatch => {
  let bounds = new Map<string, bigint>();
  let lastLook: bigint | undefined;
  return {
    completeUntil: (writers, now, known) => {
      bounds = new Map(writers.map(({ id, startedAt }) => [id, startedAt ?? bounds.get(id) ?? lastLook ?? known]));
      lastLook = now;
      return [...bounds.values()].reduce((earliest, bound) => (bound < earliest ? bound : earliest), now);
    },
  };
};
