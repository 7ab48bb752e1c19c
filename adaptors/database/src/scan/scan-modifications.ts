import { EventTooLarge, type Adaptor, type OutgoingEvent } from '@fds/adaptor-sdk';
import { stringifyJson } from '@fds/adaptor-protocol';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { FaultyRow, SourceRow } from '../source/source-row.js';
import type { ScanPosition, SourceTable } from '../source/source-table.js';
import type { KnownRow, TableState } from '../state/adaptor-state.js';

/** What a scan works with. */
export interface ScanContext {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly adaptor: Pick<Adaptor, 'publish' | 'reportError' | 'applied'>;
  readonly discoveryMode: boolean;
  /** Ends the scan between two batches. */
  readonly signal: AbortSignal;
}

const known = ({ keyText, digest, record }: SourceRow): KnownRow => ({
  keyText,
  digest,
  drUuid: null,
  record: stringifyJson(record),
});

/** Stands for the content of a row that is no record, so that its fault is reported once. */
const knownFault = ({ keyText, modified, fault }: FaultyRow): KnownRow => ({
  keyText,
  digest: `fault ${modified} ${fault}`,
  drUuid: null,
  record: '{}',
});

const publishRow = async (
  { adaptor, table, discoveryMode }: ScanContext,
  row: SourceRow,
  { action, appliedBefore }: Required<Pick<OutgoingEvent, 'appliedBefore'>> & { readonly action: 'POST' | 'PUT' },
): Promise<void> => {
  const { domain, version } = table.metadata;
  try {
    const discovery = discoveryMode ? { discovery: true } : {};
    await adaptor.publish({ action, domain, version, json: row.record, appliedBefore, ...discovery });
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    const message = `${table.metadata.dataSource.tableName} ${row.keyText}: ${error.message}`;
    await adaptor.reportError({ level: 'ERROR', kind: 'DATA', message });
  }
};

const startOf = ({ table, state }: ScanContext): bigint => {
  const { scanStartTime = '1970-01-01T00:00:00Z', overlapMilliseconds = 0 } = table.metadata.timestampSpec ?? {};
  const start = parseTimestamp(scanStartTime) ?? 0n;
  const scannedUntil = state.scannedUntil();
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
 * overlap, is not reported again. What was published is remembered after it is durable, so a crash repeats an event at
 * worst.
 *
 * @returns the number of events
 */
export const scanModifications = async (context: ScanContext): Promise<number> => {
  const { table, state, adaptor, signal } = context;
  const limit = table.metadata.scanOptions.maxBatchSize;
  const [from, until] = [startOf(context), await endOf(context)];
  let after: ScanPosition | undefined;
  let events = 0;
  while (!signal.aborted) {
    const appliedBefore = adaptor.applied;
    const { rows, faulty, last } = await table.scan({ from, until, after, limit });
    if (last === undefined) break;
    const before = state.knownRows([...rows, ...faulty].map(({ keyText }) => keyText));
    const news = rows.filter(({ keyText, digest }) => before.get(keyText)?.digest !== digest);
    const faults = faulty.filter((row) => before.get(row.keyText)?.digest !== knownFault(row).digest);
    await Promise.all(
      news.map((row) => publishRow(context, row, { action: before.has(row.keyText) ? 'PUT' : 'POST', appliedBefore })),
    );
    for (const { fault } of faults) await adaptor.reportError({ level: 'ERROR', kind: 'DATA', message: fault });
    state.remember([...news.map(known), ...faults.map(knownFault)], await pastOf(context, last.modified));
    events += news.length;
    after = last;
    if (rows.length + faulty.length < limit) break;
  }
  return events;
};
