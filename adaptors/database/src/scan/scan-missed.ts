import { parseTimestamp } from '../columns/timestamp-text.js';
import { rowKeyText, type RowKey } from '../source/row-key.js';
import { publishRows } from './publish-rows.js';
import type { ScanContext } from './scan-context.js';

const batchSize = 500;

/**
 * Publishes the rows that exist, are not known, and have a modification time that the scan by time has passed: rows of a
 * partition that was attached again, of a restored backup, or of a bulk load with original times; and rows without a
 * modification time. Rows from before `scanStartTime` are not read.
 *
 * @returns the number of events
 */
export const scanMissed = async (context: ScanContext): Promise<number> => {
  const { table, state, adaptor, signal, written } = context;
  const { timestampSpec, scanOptions } = table.metadata;
  const scannedUntil = await state.scannedUntil();
  if (timestampSpec === undefined || scannedUntil === undefined || !scanOptions.enableModificationScan) return 0;
  const start = parseTimestamp(timestampSpec.scanStartTime) ?? 0n;
  // later rows belong to the scan by time
  const end = scannedUntil - BigInt(timestampSpec.overlapMilliseconds) * 1000n;
  const isPassed = (modified: string | null): boolean => {
    const moment = modified === null ? undefined : parseTimestamp(modified);
    return moment === undefined ? start === 0n : moment >= start && moment < end;
  };
  let after: RowKey | undefined;
  let events = 0;
  while (!signal.aborted) {
    const { keys, last } = await table.keysBehind(after, batchSize);
    const passed = keys.filter(({ modified }) => isPassed(modified)).map(({ key }) => key);
    await written.known();
    const known = await state.knownRows(passed.map(rowKeyText));
    const missed = passed.filter((key) => !known.has(rowKeyText(key)));
    if (missed.length > 0) {
      const [appliedBefore, mark] = [adaptor.applied, written.mark()];
      events += await publishRows(context, { ...(await table.findKeys(missed)), appliedBefore, mark });
    }
    after = last;
    if (after === undefined) break;
  }
  return events;
};
