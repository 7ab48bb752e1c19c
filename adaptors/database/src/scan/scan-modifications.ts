import type { Position } from '@fds/adaptor-protocol';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { ScannedRows, ScanPosition } from '../source/source-table.js';
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

/** A page, and what held before it was read. */
interface Page {
  readonly read: ScannedRows;
  readonly appliedBefore: Position;
  /** No incoming event has written a row since. */
  readonly isCurrent: () => boolean;
}

/**
 * Publishes the rows that changed since the last scan and whose content is news: a row that was applied, or seen in the
 * overlap, is not reported again. Published rows are remembered after they are durable, so a crash repeats an event at
 * worst. While a page is published, the next one is read; it is read again when an incoming event was written in the meantime.
 *
 * @returns the number of events
 */
export const scanModifications = async (context: ScanContext): Promise<number> => {
  const { table, adaptor, signal, written } = context;
  const limit = table.metadata.scanOptions.maxBatchSize;
  const [from, until] = [await startOf(context), await endOf(context)];
  const readPage = async (after: ScanPosition | undefined): Promise<Page> => {
    const [appliedBefore, isCurrent] = [adaptor.applied, written.watch()];
    return { read: await table.scan({ from, until, after, limit }), appliedBefore, isCurrent };
  };
  let after: ScanPosition | undefined;
  let next: Promise<Page> | undefined;
  let events = 0;
  try {
    while (!signal.aborted) {
      const ahead = await next;
      const { read, appliedBefore } = ahead?.isCurrent() === true ? ahead : await readPage(after);
      const { rows, faulty, last } = read;
      if (last === undefined) break;
      after = last;
      const isLast = rows.length + faulty.length < limit;
      next = isLast ? undefined : readPage(after);
      // a failure is thrown where the page is awaited
      next?.catch(() => undefined);
      const scannedUntil = await pastOf(context, last.modified);
      events += await publishRows(context, { rows, faulty, appliedBefore, scannedUntil });
      if (isLast) break;
    }
  } finally {
    // nothing is read after the end
    await next?.catch(() => undefined);
  }
  return events;
};
