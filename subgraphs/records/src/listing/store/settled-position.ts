import type { Queryable } from '@fds/database';

/** Finds a position of the change log at or below which no further entry can appear. */
export interface SettledPosition {
  /** For statements that begin after this call; undefined until it is first known. */
  readonly value: bigint | undefined;
  /** Looks at the change log, at most once in 100 milliseconds. */
  advance(client: Queryable): Promise<void>;
}

interface Sight {
  readonly head: bigint;
  /** Transactions that have written to the change log and had not finished, by the lock of the table. */
  readonly writers: readonly string[];
}

/** The head is that of the statement's snapshot, the locks are read later. */
const see = async (client: Queryable): Promise<Sight> => {
  const { rows } = await client.query<Sight>({
    name: 'records-change-log-writers',
    text: `SELECT coalesce((SELECT max(position) FROM change_log), 0)::bigint AS head,
                  ARRAY(SELECT virtualtransaction FROM pg_locks
                        WHERE locktype = 'relation' AND relation = 'change_log'::regclass AND mode = 'RowExclusiveLock'
                          AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                  ) AS writers`,
    values: [],
  });
  const [sight] = rows;
  if (sight === undefined) throw new TypeError('a statement without FROM answers one row');
  return sight;
};

const intervalMs = 100;

/**
 * A transaction locks the table before it takes a position, and lets go when its entries are visible. An entry below the head that
 * the head's snapshot does not show belongs to a transaction that had the lock: it is visible when those that are seen with the lock
 * afterwards have let go. Other transactions of the database do not delay it.
 */
export const createSettledPosition = (nowMs: () => number = () => performance.now()): SettledPosition => {
  let settled: bigint | undefined;
  let candidate: Sight | undefined;
  let dueMs = -Infinity;

  const settle = (head: bigint): void => {
    if (settled === undefined || head > settled) settled = head;
  };
  return {
    get value() {
      return settled;
    },
    advance: async (client) => {
      if (nowMs() < dueMs) return;
      dueMs = nowMs() + intervalMs;
      const sight = await see(client);
      const waitsFor = candidate?.writers;
      if (sight.writers.length === 0) {
        settle(sight.head);
        candidate = undefined;
      } else if (candidate === undefined) candidate = sight;
      else if (waitsFor?.every((writer) => !sight.writers.includes(writer)) === true) {
        settle(candidate.head);
        candidate = sight;
      }
    },
  };
};
