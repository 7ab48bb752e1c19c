import { rowKeyText, type RowKey } from '../../source/row-key.js';

/** Keys of a batch, and the position up to which the log is done when they are reported. */
interface Batch<Transaction, Position> {
  readonly keys: readonly RowKey[];
  /** Rows changed that the log does not name. */
  readonly hasUnknown: boolean;
  readonly committed: Position | undefined;
  /** The transactions that changed the rows. */
  readonly transactions: ReadonlySet<Transaction>;
}

/** Keys of rows that the log says were changed and that are not reported yet. A key that comes again is kept once. */
export interface ChangedKeys<Transaction, Position> {
  /** Entries in memory. */
  readonly size: number;
  readonly isEmpty: boolean;
  readonly isWithinTransaction: boolean;
  begin(transaction: Transaction): void;
  addKey(key: RowKey): void;
  addUnknown(): void;
  commit(position: Position | undefined): void;
  take(limit: number): Batch<Transaction, Position>;
}

export const createChangedKeys = <Transaction, Position>(): ChangedKeys<Transaction, Position> => {
  let waiting = new Map<string, RowKey>();
  let transactions = new Set<Transaction>();
  let hasUnknown = false;
  let committed: Position | undefined;
  let isWithinTransaction = false;

  return {
    get size() {
      return Math.max(waiting.size, transactions.size);
    },
    get isEmpty() {
      return waiting.size === 0 && !hasUnknown && committed === undefined;
    },
    get isWithinTransaction() {
      return isWithinTransaction;
    },
    begin: (transaction) => {
      isWithinTransaction = true;
      transactions.add(transaction);
    },
    addKey: (key) => void waiting.set(rowKeyText(key), key),
    addUnknown: () => {
      hasUnknown = true;
    },
    commit: (position) => {
      isWithinTransaction = false;
      committed = position;
    },
    take: (limit) => {
      const entries = [...waiting];
      const rest = entries.slice(limit);
      waiting = new Map(rest);
      const batch: Batch<Transaction, Position> = {
        keys: entries.slice(0, limit).map(([, key]) => key),
        hasUnknown,
        transactions,
        // a position counts when nothing before it waits
        committed: rest.length === 0 ? committed : undefined,
      };
      hasUnknown = false;
      transactions = new Set();
      if (rest.length === 0) committed = undefined;
      return batch;
    },
  };
};
