import { rowKeyText, type RowKey } from '../../source/row-key.js';

/** Keys of a batch, and the position up to which the log is processed after they are reported. */
interface Batch<Transaction, Position> {
  readonly keys: readonly RowKey[];
  /** True: the log contains changes without the keys of the rows. */
  readonly hasUnknown: boolean;
  readonly committed: Position | undefined;
  /** The transactions that changed the rows. */
  readonly transactions: ReadonlySet<Transaction>;
}

/** Keys of rows that changed according to the log and are not reported yet. A repeated key is kept once. */
export interface ChangedKeys<Transaction, Position> {
  /** Number of entries in memory. */
  readonly size: number;
  /** Approximate memory of the keys. */
  readonly bytes: number;
  /** Changes of rows wait. */
  readonly hasRows: boolean;
  /** No change waits, and no position. */
  readonly isEmpty: boolean;
  readonly isWithinTransaction: boolean;
  begin(transaction: Transaction): void;
  addKey(key: RowKey): void;
  addUnknown(): void;
  commit(position: Position | undefined): void;
  take(limit: number): Batch<Transaction, Position>;
}

/** A key is kept as its text and as its values; a character takes up to two bytes. */
const bytesOf = (text: string): number => 4 * text.length;

export const createChangedKeys = <Transaction, Position>(): ChangedKeys<Transaction, Position> => {
  let waiting = new Map<string, RowKey>();
  let bytes = 0;
  let transactions = new Set<Transaction>();
  let hasUnknown = false;
  let committed: Position | undefined;
  /** The transaction that is being read. */
  let open: { readonly transaction: Transaction } | undefined;
  // with each row: the row before it may be taken already
  const noteTransaction = (): void => {
    if (open !== undefined) transactions.add(open.transaction);
  };

  return {
    get size() {
      return Math.max(waiting.size, transactions.size);
    },
    get bytes() {
      return bytes;
    },
    get hasRows() {
      return waiting.size > 0 || hasUnknown;
    },
    get isEmpty() {
      return waiting.size === 0 && !hasUnknown && committed === undefined;
    },
    get isWithinTransaction() {
      return open !== undefined;
    },
    begin: (transaction) => {
      open = { transaction };
    },
    addKey: (key) => {
      noteTransaction();
      const text = rowKeyText(key);
      if (waiting.has(text)) return;
      waiting.set(text, key);
      bytes += bytesOf(text);
    },
    addUnknown: () => {
      noteTransaction();
      hasUnknown = true;
    },
    commit: (position) => {
      open = undefined;
      committed = position;
    },
    take: (limit) => {
      const entries = [...waiting];
      const rest = entries.slice(limit);
      const taken = entries.slice(0, limit);
      waiting = new Map(rest);
      bytes -= taken.reduce((sum, [text]) => sum + bytesOf(text), 0);
      const batch: Batch<Transaction, Position> = {
        keys: taken.map(([, key]) => key),
        hasUnknown,
        transactions,
        // a position is only committed when nothing before it is waiting
        committed: rest.length === 0 ? committed : undefined,
      };
      hasUnknown = false;
      transactions = new Set();
      if (rest.length === 0) committed = undefined;
      return batch;
    },
  };
};
