import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@fds/json';
import type { Change, LoggedChange } from './change-log.js';
import type { Queryable } from './queryable.js';

/** A database, or one session that replaces its pool. */
interface SqlPool {
  readonly pool: Queryable;
}

/** The highest position that is visible now; 0n when the log is empty. */
export const loadHead = async ({ pool }: SqlPool): Promise<bigint> => {
  const { rows } = await pool.query<{ position: bigint }>(
    'SELECT position FROM change_log ORDER BY position DESC LIMIT 1',
  );
  return rows[0]?.position ?? 0n;
};

/**
 * The remaining part of the log. Entries up to `removedUpTo` were removed. `last` is undefined while the log is empty.
 */
export const loadLogEnds = async (
  session: Queryable,
): Promise<{ readonly removedUpTo: bigint; readonly last: bigint | undefined }> => {
  const { rows } = await session.query<{ removed_up_to: bigint | null; last: bigint | null }>(
    `SELECT (SELECT up_to FROM change_log_removal) AS removed_up_to,
            (SELECT position FROM change_log ORDER BY position DESC LIMIT 1) AS last`,
  );
  return { removedUpTo: rows[0]?.removed_up_to ?? 0n, last: rows[0]?.last ?? undefined };
};

/** Transactions that have written to the log and are not finished. */
export const writersInFlight = async ({ pool }: SqlPool): Promise<Set<string>> => {
  const { rows } = await pool.query<{ writer: string }>(
    `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'change_log'::regclass AND mode = 'RowExclusiveLock' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return new Set(rows.map((row) => row.writer));
};

export interface SettleOptions {
  /** Interval between two checks. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Called once when writers keep it waiting for a long time. */
  readonly onSlow: (writers: number) => void;
}

const slowMs = 5_000;

/**
 * Waits until every transaction that has written to the log before this call is committed or rolled back. Afterwards,
 * no row can appear at or below a position that was visible before the call.
 *
 * A transaction takes a position from the sequence before it commits, so rows become visible out of order. INSERT locks
 * the table (RowExclusiveLock) before it takes positions. The lock is held until the transaction ends, and is released
 * after its rows are visible. So an unfinished transaction with a position below a visible one has the lock, and it is
 * enough to wait for the current owners of the lock. Unlike a limit by `pg_snapshot_xmin`, this keeps the order of
 * positions and does not wait for transactions that write elsewhere, in this database or in others of the server.
 *
 * @throws AbortError when the signal aborts
 */
export const settleWriters = async (
  database: SqlPool,
  { intervalMs, signal, onSlow }: SettleOptions,
): Promise<void> => {
  const waitingFor = await writersInFlight(database);
  const slowAt = performance.now() + slowMs;
  let warned: true | undefined;
  while (waitingFor.size > 0) {
    await delay(intervalMs, undefined, { signal });
    const present = await writersInFlight(database);
    for (const writer of waitingFor) if (!present.has(writer)) waitingFor.delete(writer);
    if (warned === undefined && performance.now() > slowAt && waitingFor.size > 0) {
      warned = true;
      onSlow(waitingFor.size);
    }
  }
};

export interface ChangeRow {
  readonly position: bigint;
  readonly date_created: Date;
  readonly action: Change['action'];
  readonly resource_type: string;
  readonly resource: string;
  readonly resource_uuid: string | null;
  readonly zone_uuid: string | null;
  readonly actor_uuid: string | null;
  readonly data: string | null;
}

export const toLoggedChange = (row: ChangeRow): LoggedChange => ({
  position: row.position,
  dateCreated: row.date_created,
  action: row.action,
  resourceType: row.resource_type,
  resource: row.resource,
  ...(row.resource_uuid === null ? {} : { resourceUuid: row.resource_uuid }),
  ...(row.zone_uuid === null ? {} : { zoneUuid: row.zone_uuid }),
  ...(row.actor_uuid === null ? {} : { actorUuid: row.actor_uuid }),
  ...(row.data === null ? {} : { data: parseJson(row.data) }),
});

/** A part of the log. */
export interface ChangeWindow {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Undefined: all types. */
  readonly resourceTypes: readonly string[] | undefined;
  readonly limit: number;
}

/** The next changes after `after` and up to `upTo`, in order of position. */
export const readChanges = async (
  { pool }: SqlPool,
  { after, upTo, resourceTypes, limit }: ChangeWindow,
): Promise<LoggedChange[]> => {
  const { rows } = await pool.query<ChangeRow>(
    `SELECT position, date_created, action, resource_type, resource, resource_uuid, zone_uuid, actor_uuid, data
     FROM change_log WHERE position > $1 AND position <= $2 AND ($4::text[] IS NULL OR resource_type = ANY ($4))
     ORDER BY position LIMIT $3`,
    [after, upTo, limit, resourceTypes],
  );
  return rows.map(toLoggedChange);
};
