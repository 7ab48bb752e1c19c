import { createChangedKeys } from '../changed-keys.js';
import type { LogListener } from '../log-access.js';
import { createChangeReporter } from '../report-changes.js';
import type { BinlogPlace } from './binlog-place.js';
import type { BinlogReader } from './binlog-reader.js';
import { keysOf } from './changed-row.js';
import type { LogEntry } from './log-entry.js';
import type { LoggedTable } from './logged-table.js';
import { mayChangeRows } from './may-change-rows.js';

/** A table whose changes are read from the binary log. */
export interface FollowedTable {
  readonly reader: BinlogReader;
  readonly table: LoggedTable;
  readonly keyColumns: readonly string[];
  /** Everything up to this position is reported. */
  readonly position: string;
  /** Resolves when queries can see the changes of these transactions. */
  untilVisible(transactions: ReadonlySet<BinlogPlace>, signal: AbortSignal): Promise<void>;
  /** Stores the position durably. */
  remember(position: string): Promise<void>;
}

/** Interval of storing the position while only transactions of other tables move it. */
const rememberEveryMs = 10_000;

/**
 * Reports the changes of a table until the signal is aborted. A position is stored after every row before it was
 * reported durably. After a crash the log is read again from the stored position.
 *
 * @throws LogLost, LogUnavailable; Error when the connection or the listener fails
 */
export const followTable = async (
  { reader, table, keyColumns, position, untilVisible, remember }: FollowedTable,
  listener: LogListener,
  signal: AbortSignal,
): Promise<void> => {
  const changes = createChangedKeys<BinlogPlace, string>();
  const failed = new AbortController();
  let reported = position;
  let remembered = { position, atMs: performance.now() };
  let hasReported = false;

  const keep = async (): Promise<void> => {
    hasReported = false;
    if (reported === remembered.position) return;
    await remember(reported);
    remembered = { position: reported, atMs: performance.now() };
  };
  const reporter = createChangeReporter({
    changes,
    listener: {
      ...listener,
      onKeys: (keys) => {
        hasReported = true;
        return listener.onKeys(keys);
      },
      onUnknownRows: () => {
        hasReported = true;
        return listener.onUnknownRows();
      },
    },
    untilVisible,
    confirm: async (committed) => {
      if (committed === undefined) return;
      reported = committed;
      if (hasReported || performance.now() - remembered.atMs > rememberEveryMs) await keep();
    },
  });

  let place: BinlogPlace = { file: '', offset: 0 };
  const addUnknown = (): void => {
    changes.begin(place);
    changes.addUnknown();
  };
  const add = (entry: LogEntry): void => {
    switch (entry.kind) {
      case 'BEGIN':
        ({ place } = entry);
        return;
      case 'ROWS':
        if (entry.schema !== table.schema || entry.name !== table.name) return;
        if (entry.rows === undefined) return addUnknown();
        for (const row of entry.rows) {
          const keys = keysOf(row, keyColumns);
          if (keys === undefined) return addUnknown();
          changes.begin(place);
          for (const key of keys) changes.addKey(key);
        }
        return;
      case 'QUERY':
        if (mayChangeRows(entry.query, table)) addUnknown();
        return;
      case 'UNKNOWN':
        return addUnknown();
      case 'END':
        changes.commit(entry.position);
    }
  };

  let failure: unknown;
  const subscriber = {
    table,
    get position() {
      return reported;
    },
    onStart: () => listener.onStart(),
    take: (entry: LogEntry) => {
      add(entry);
      if (changes.isEmpty) return undefined;
      const busy = reporter.report().catch((error: unknown) => {
        failure ??= error;
        failed.abort();
      });
      return reporter.isFull ? busy : undefined;
    },
  };
  try {
    await reader.follow(subscriber, AbortSignal.any([signal, failed.signal]));
  } finally {
    await reporter.stop();
    // stores the position of a source without changes, so that an old position is not used again; the next use of the
    // store reports its failure
    if (failure === undefined) await keep().catch(() => undefined);
  }
  if (failure !== undefined) throw failure;
};
