import type { Pgoutput } from 'pg-logical-replication';
import type { ColumnValue } from '../../columns/column-text.js';
import { rowKeyText, type RowKey } from '../../source/row-key.js';

/** Keys of a batch, and the position up to which the log is done when they are reported. */
interface Batch {
  readonly keys: readonly RowKey[];
  readonly truncated: boolean;
  readonly committed: string | undefined;
  /** Ids of the transactions that changed the rows. */
  readonly transactions: ReadonlySet<number>;
}

/** Keys of rows that the log says were changed and that are not reported yet. A key that comes again is kept once. */
export interface ChangedKeys {
  /** Entries in memory. */
  readonly size: number;
  readonly isEmpty: boolean;
  readonly isWithinTransaction: boolean;
  add(message: Pgoutput.Message): void;
  take(limit: number): Batch;
}

type Tuple = Readonly<Record<string, unknown>> | null;

/** @param keyColumns of the table, in the order of the row key */
export const createChangedKeys = (keyColumns: readonly string[]): ChangedKeys => {
  let waiting = new Map<string, RowKey>();
  let transactions = new Set<number>();
  let truncated = false;
  let committed: string | undefined;
  let isWithinTransaction = false;

  const addTuple = (tuple: Tuple): void => {
    if (tuple === null) return;
    const key = keyColumns.map((column) => (tuple[column] ?? null) as ColumnValue);
    waiting.set(rowKeyText(key), key);
  };

  return {
    get size() {
      return Math.max(waiting.size, transactions.size);
    },
    get isEmpty() {
      return waiting.size === 0 && !truncated && committed === undefined;
    },
    get isWithinTransaction() {
      return isWithinTransaction;
    },
    add: (message) => {
      switch (message.tag) {
        case 'begin':
          isWithinTransaction = true;
          transactions.add(message.xid);
          return;
        case 'insert':
          return addTuple(message.new);
        case 'update':
          // a key that was changed: the row with the old one is gone
          addTuple(message.key ?? message.old);
          return addTuple(message.new);
        case 'delete':
          return addTuple(message.key ?? message.old);
        case 'truncate':
          truncated = true;
          return;
        case 'commit':
          isWithinTransaction = false;
          committed = message.commitEndLsn ?? message.commitLsn ?? undefined;
          return;
        default:
      }
    },
    take: (limit) => {
      const entries = [...waiting];
      const rest = entries.slice(limit);
      waiting = new Map(rest);
      const batch: Batch = {
        keys: entries.slice(0, limit).map(([, key]) => key),
        truncated,
        transactions,
        // a position counts when nothing before it waits
        committed: rest.length === 0 ? committed : undefined,
      };
      truncated = false;
      transactions = new Set();
      if (rest.length === 0) committed = undefined;
      return batch;
    },
  };
};
