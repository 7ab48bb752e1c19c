import { parseTimestamp } from '../columns/timestamp-text.js';
import type { ScanPosition } from '../source/source-table.js';
import { publishRows } from './publish-rows.js';
import type { ScanContext } from './scan-context.js';

const startOf = async ({ table, state }: ScanContext): Promise<bigint> => {
  const { scanStartTime = '1970-01-01T00:00:00Z', overlapMilliseconds = 0 } = table.metadata.timestampSpec ?? {};
  const start = parseTimestamp(scanStartTime) ?? 0n;
  const scannedUntil = await state.scannedUntil();
  if (scannedUntil === undefined) return start;
  const overlapping = scannedUntil - BigInt(overlapMilliseconds) * 1000n;
  return overlapping > start ? overlapping : start;
};

/** How far the scan is: a time that lies in the future must not hide what changes until then. */
const pastOf = async ({ table }: ScanContext, modified: string): Promise<bigint | undefined> => {
  const moment = parseTimestamp(modified);
  if (moment === undefined || moment <= BigInt(Date.now()) * 1000n) return moment;
  const now = await table.now();
  return moment < now ? moment : now;
};

const endOf = async ({ table }: ScanContext): Promise<bigint | undefined> => {
  const lag = table.metadata.timestampSpec?.lagTimeMilliseconds ?? 0;
  return lag === 0 ? undefined : (await table.now()) - BigInt(lag) * 1000n;
};

/**
 * Publishes the rows that changed since the last scan and whose content is news: a row that was applied, or seen in the
 * overlap, is not reported again. Published rows are remembered after they are durable, so a crash repeats an event at
 * worst.
 *
 * @returns the number of events
 */
export const scanModifications = async (context: ScanContext): Promise<number> => {
  const { table, adaptor, signal } = context;
  const limit = table.metadata.scanOptions.maxBatchSize;
  const [from, until] = [await startOf(context), await endOf(context)];
  let after: ScanPosition | undefined;
  let events = 0;
  while (!signal.aborted) {
    const appliedBefore = adaptor.applied;
    const { rows, faulty, last } = await table.scan({ from, until, after, limit });
    if (last === undefined) break;
    const scannedUntil = await pastOf(context, last.modified);
    events += await publishRows(context, { rows, faulty, appliedBefore, scannedUntil });
    after = last;
    if (rows.length + faulty.length < limit) break;
  }
  return events;
};
