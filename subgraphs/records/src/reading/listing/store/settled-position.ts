import { loadHead, writersInFlight, type Queryable } from '@fds/database';

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
  readonly writers: ReadonlySet<string>;
}

/** The writers are read after the head: an entry below the head that is not visible belongs to one of them. */
const see = async (session: Queryable): Promise<Sight> => {
  const head = await loadHead({ pool: session });
  return { head, writers: await writersInFlight({ pool: session }) };
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
      if (sight.writers.size === 0) {
        settle(sight.head);
        candidate = undefined;
      } else if (candidate === undefined) candidate = sight;
      else if (![...candidate.writers].some((writer) => sight.writers.has(writer))) {
        settle(candidate.head);
        candidate = sight;
      }
    },
  };
};
