import type { ChangedKeys } from './changed-keys.js';
import type { LogListener } from './log-access.js';

/** Dependencies of reporting the changes of a log. */
interface ChangeReports<Transaction, Position> {
  readonly changes: ChangedKeys<Transaction, Position>;
  readonly listener: LogListener;
  /** Resolves when queries can see the changes of these transactions, or the signal is aborted. */
  untilVisible(transactions: ReadonlySet<Transaction>, signal: AbortSignal): Promise<void>;
  /** Called when everything up to this position is reported; undefined: only a part of a transaction is reported. */
  confirm(position: Position | undefined): Promise<void>;
}

/** Reports waiting changes while the log is being read. */
export interface ChangeReporter {
  /** No change of a row is waiting or being reported. */
  readonly isIdle: boolean;
  /** So many changes are waiting that the source should wait too. */
  readonly isFull: boolean;
  /** Resolves when no change is waiting. @throws Error of the listener */
  report(): Promise<void>;
  /** Stops after the current batch. Never rejects. */
  stop(): Promise<void>;
}

/** Number of waiting batches after which the source must wait too. */
const batchesInMemory = 4;

/** Bytes of keys that wait before the source is asked to wait too: the columns of a key may be long texts. */
const keyBytesInMemory = 16 * 1024 * 1024;

export const createChangeReporter = <Transaction, Position>({
  changes,
  listener,
  untilVisible,
  confirm,
}: ChangeReports<Transaction, Position>): ChangeReporter => {
  const { batchSize } = listener;
  const ending = new AbortController();
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    while (!ending.signal.aborted && !changes.isEmpty) {
      const { keys, hasUnknown, committed, transactions } = changes.take(batchSize);
      if (hasUnknown || keys.length > 0) await untilVisible(transactions, ending.signal);
      // changes that queries cannot see yet stay in the log
      if (ending.signal.aborted) return;
      if (hasUnknown) await listener.onUnknownRows();
      if (keys.length > 0) await listener.onKeys(keys);
      await confirm(committed);
    }
  };

  return {
    get isIdle() {
      return working === undefined && !changes.hasRows;
    },
    get isFull() {
      return changes.size > batchesInMemory * batchSize || changes.bytes > keyBytesInMemory;
    },
    report: () => {
      working ??= work().finally(() => {
        working = undefined;
      });
      return working;
    },
    stop: async () => {
      ending.abort();
      await working?.catch(() => undefined);
    },
  };
};
