import { rowKeyText, type RowKey } from '../../source/row-key.js';
import { publishDeletions, publishRows } from '../publish-rows.js';
import { scanDeletions } from '../scan-deletions.js';
import type { ScanContext } from '../scan-context.js';
import type { LogAccess } from './log-access.js';
import { LogLost } from './log-lost.js';

/** Dependencies of reading the log. */
export interface LogContext extends ScanContext {
  readonly log: LogAccess;
  /** Resolves when no incoming event is being written. The written rows are then known and are not reported back. */
  readonly settled: () => Promise<unknown>;
  /** Called when the whole table was compared with the state, now or before the log was read further. */
  readonly onCompared: () => Promise<void>;
  /** Called when the log is being read and everything before it is reported. */
  readonly onStart: () => void;
}

/** Reports every row with new content, and every known row that no longer exists. */
const scanWhole = async (context: LogContext): Promise<void> => {
  const { table, adaptor, signal, written } = context;
  const limit = table.metadata.scanOptions.maxBatchSize;
  let after: RowKey | undefined;
  while (!signal.aborted) {
    const [appliedBefore, mark] = [adaptor.applied, written.mark()];
    const read = await table.rowsBehind(after, limit);
    await publishRows(context, { ...read, appliedBefore, mark });
    after = read.last;
    if (after === undefined) break;
  }
  await scanDeletions(context);
};

/** Reports rows by their keys: the current content or the deletion of each. */
const reportKeys = async (context: LogContext, keys: readonly RowKey[]): Promise<void> => {
  const { table, state, adaptor, guard, settled, written } = context;
  await settled();
  const [appliedBefore, mark] = [adaptor.applied, written.mark()];
  const read = await table.findKeys(keys);
  await publishRows(context, { ...read, appliedBefore, mark });
  const there = new Set([...read.rows, ...read.faulty, ...read.outside].map(({ keyText }) => keyText));
  const gone = await state.knownRows(keys.map(rowKeyText).filter((keyText) => !there.has(keyText)));
  if (gone.size > 0) await guard.check();
  await publishDeletions(context, gone.values(), appliedBefore);
};

/**
 * Reports the changes of a table from the database's log until the signal is aborted or the log is lost. The log names
 * the changed rows. The current content of each row is then read from the table. So columns that are absent from the
 * log are included, and several changes of a row become one event.
 *
 * At the first start, and after the log was lost, the whole table is compared with the adaptor's state, so no change is
 * missed.
 *
 * @throws LogUnavailable when the source does not allow it; Error when it fails
 */
export const scanLog = async (context: LogContext): Promise<void> => {
  const { table, state, adaptor, signal, log, onCompared, onStart } = context;
  const { domain, version, scanOptions, dataSource } = table.metadata;
  const reportLoss = (reason: string): Promise<void> => {
    const message = `${domain}:${version}: the log of ${dataSource.tableName} was lost (${reason}); the whole table is read again`;
    return adaptor.reportError({ level: 'WARN', kind: 'CONFIGURATION', message });
  };
  const markedBefore = await state.scannedLog();
  const opened = await log.open(() => state.rememberLog(undefined));
  if (opened.isNew && markedBefore !== undefined) await reportLoss(markedBefore);
  if (opened.isNew || markedBefore !== opened.mark) {
    await scanWhole(context);
    if (signal.aborted) return;
    await state.rememberLog(opened.mark);
  }
  await onCompared();
  const listener = {
    batchSize: scanOptions.maxBatchSize,
    onStart,
    onKeys: (keys: readonly RowKey[]) => reportKeys(context, keys),
    onUnknownRows: async () => {
      await scanWhole(context);
      // a comparison that was cut short begins again at the next start
      signal.throwIfAborted();
    },
  };
  try {
    await opened.follow(listener, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof LogLost)) throw error;
    // so that the next attempt begins a new log
    await state.rememberLog(undefined);
    await reportLoss(error.message);
  }
};
