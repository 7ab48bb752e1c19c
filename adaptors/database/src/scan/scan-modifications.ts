import type { Position } from '@fds/adaptor-protocol';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { ScannedRows, ScanPosition } from '../source/source-table.js';
import { publishRows } from './publish-rows.js';
import type { ScanContext } from './scan-context.js';

/** Begin of a scan, microseconds since the epoch. */
interface ScanStart {
  readonly from: bigint;
  /** Rows from this time on may still be committed. Undefined: the database does not show open transactions. */
  readonly completeUntil: bigint | undefined;
  /** The time of the database when the scan began. Undefined: it was not asked. */
  readonly now: bigint | undefined;
}

/** The scan begins before the oldest transaction that is still open, which may have begun before the last scan. */
const startOf = async ({ table, state }: ScanContext): Promise<ScanStart> => {
  const { scanStartTime = '1970-01-01T00:00:00Z', overlapMilliseconds = 0 } = table.metadata.timestampSpec ?? {};
  const start = parseTimestamp(scanStartTime) ?? 0n;
  const scannedUntil = await state.scannedUntil();
  const { completeUntil, now } = (await table.lookAtWriters(scannedUntil ?? start)) ?? {};
  if (scannedUntil === undefined) return { from: start, completeUntil, now };
  const isHeld = completeUntil !== undefined && completeUntil < scannedUntil;
  if (isHeld) await state.rememberScan(completeUntil);
  const overlapping = (isHeld ? completeUntil : scannedUntil) - BigInt(overlapMilliseconds) * 1000n;
  return { from: overlapping > start ? overlapping : start, completeUntil, now };
};

/**
 * The position of the scan. A time in the future must not hide rows that change before that time, nor may a row hide those
 * of transactions that are open.
 */
const positionOf = async (
  { table }: ScanContext,
  modified: string,
  { completeUntil }: ScanStart,
): Promise<bigint | undefined> => {
  const moment = parseTimestamp(modified);
  if (completeUntil !== undefined) return moment === undefined || moment < completeUntil ? moment : completeUntil;
  if (moment === undefined || moment <= BigInt(Date.now()) * 1000n) return moment;
  const now = await table.now();
  return moment < now ? moment : now;
};

const endOf = async ({ table }: ScanContext, { now }: ScanStart): Promise<bigint | undefined> => {
  const lag = table.metadata.timestampSpec?.lagTimeMilliseconds ?? 0;
  return lag === 0 ? undefined : (now ?? (await table.now())) - BigInt(lag) * 1000n;
};

/** A page, and the state before it was read. */
interface Page {
  readonly read: ScannedRows;
  readonly appliedBefore: Position;
  readonly mark: number;
}

/**
 * Publishes the rows that changed since the last scan and have new content. It does not report a row again that was
 * applied, or that was read in the overlap. Published rows are stored after they are durable, so a crash can only
 * repeat an event. While a page is published, the next one is read.
 *
 * @returns the number of events
 */
export const scanModifications = async (context: ScanContext): Promise<number> => {
  const { table, adaptor, signal, written } = context;
  const limit = table.metadata.scanOptions.maxBatchSize;
  const start = await startOf(context);
  const until = await endOf(context, start);
  const { from } = start;
  const readPage = async (after: ScanPosition | undefined): Promise<Page> => {
    const [appliedBefore, mark] = [adaptor.applied, written.mark()];
    return { read: await table.scan({ from, until, after, limit }), appliedBefore, mark };
  };
  let after: ScanPosition | undefined;
  let next: Promise<Page> | undefined;
  let events = 0;
  try {
    while (!signal.aborted) {
      const { read, appliedBefore, mark } = (await next) ?? (await readPage(after));
      const { rows, faulty, outside, last } = read;
      if (last === undefined) break;
      after = last;
      const isLast = rows.length + faulty.length + outside.length < limit;
      next = isLast ? undefined : readPage(after);
      // avoids an unhandled rejection: the error is thrown when the page is awaited
      next?.catch(() => undefined);
      const scannedUntil = await positionOf(context, last.modified, start);
      events += await publishRows(context, { rows, faulty, appliedBefore, mark, scannedUntil });
      if (isLast) break;
    }
  } finally {
    // nothing reads the table after the end of the scan
    await next?.catch(() => undefined);
  }
  return events;
};
