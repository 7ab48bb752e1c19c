import { isJsonObject, parseJson, type JsonObject, type Position } from '@fds/adaptor-protocol';
import { EventTooLarge } from '@fds/adaptor-sdk';
import type { FaultyRow, ReadRows, SourceRow } from '../source/source-row.js';
import { unreported, type KnownRow } from '../state/adaptor-state.js';
import type { ScanContext } from './scan-context.js';

const known = ({ keyText, digest, recordText }: SourceRow): KnownRow => ({
  keyText,
  digest,
  drUuid: null,
  record: recordText,
});

/** The record of a row that was never reported. */
const noRecord = '{}';

const wasReported = ({ record, drUuid }: KnownRow): boolean => record !== noRecord || drUuid !== null;

/**
 * The state of a row that is not a valid record, so that its fault is reported once. A row that was reported keeps its
 * last record, because its deletion is reported too.
 */
const knownFault = ({ keyText, modified, fault }: FaultyRow, before: KnownRow | undefined): KnownRow => ({
  keyText,
  digest: `fault ${modified} ${fault}`,
  drUuid: null,
  record: before?.record ?? noRecord,
});

const publishRow = async (
  { adaptor, table }: ScanContext,
  row: SourceRow,
  action: 'POST' | 'PUT',
  appliedBefore: Position,
): Promise<void> => {
  const { domain, version } = table.metadata;
  try {
    await adaptor.publish({ action, domain, version, json: row.record, appliedBefore });
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    const message = `${table.metadata.dataSource.tableName} ${row.keyText}: ${error.message}`;
    await adaptor.reportError({ level: 'ERROR', kind: 'DATA', message });
  }
};

/** Rows as they were read, and the adaptor's position before the read. */
export interface RowsRead extends ReadRows {
  readonly appliedBefore: Position;
  /** Position of the scan after the rows are reported. */
  readonly scannedUntil?: bigint | undefined;
}

/**
 * Publishes the rows with new content, and stores their content after the events are durable. So a crash can only
 * repeat an event.
 *
 * @returns the number of events
 */
export const publishRows = async (
  context: ScanContext,
  { rows, faulty, appliedBefore, scannedUntil }: RowsRead,
): Promise<number> => {
  const { state, adaptor, written } = context;
  await written.known();
  const before = await state.knownRows([...rows, ...faulty].map(({ keyText }) => keyText));
  const news = rows.filter(({ keyText, digest }) => before.get(keyText)?.digest !== digest);
  const isNew = ({ keyText }: SourceRow): boolean => {
    const known = before.get(keyText);
    return known === undefined || (known.drUuid === null && (known.digest === unreported || !wasReported(known)));
  };
  // stored before their events, so that a deletion during a crash is reported
  const [announced, changed] = [
    news.filter(({ keyText }) => !before.has(keyText)).map(known),
    news.filter(({ keyText }) => before.has(keyText)).map(known),
  ];
  await state.announceRows(announced);
  const faults = faulty.flatMap((row) => {
    const known = before.get(row.keyText);
    const state = knownFault(row, known);
    return known?.digest === state.digest ? [] : [{ ...row, state }];
  });
  await Promise.all(news.map((row) => publishRow(context, row, isNew(row) ? 'POST' : 'PUT', appliedBefore)));
  for (const { fault } of faults) await adaptor.reportError({ level: 'ERROR', kind: 'DATA', message: fault });
  await state.confirmRows(announced);
  await state.rememberRows([...changed, ...faults.map(({ state }) => state)]);
  // stored after the rows: after a crash between the two, the rows are read again and found unchanged
  if (scannedUntil !== undefined) await state.rememberScan(scannedUntil);
  return news.length;
};

const drKeyOf = (record: string, drKeyProperties: readonly string[]): JsonObject => {
  const remembered = parseJson(record);
  return Object.fromEntries(
    drKeyProperties.map((name) => [name, isJsonObject(remembered) ? (remembered[name] ?? null) : null]),
  );
};

/**
 * Publishes a deletion for each of these rows, which no longer exist.
 *
 * @param drKeyProperties of the domain version
 * @returns the number of events
 */
export const publishDeletions = async (
  { table, state, adaptor }: ScanContext,
  gone: Iterable<KnownRow>,
  drKeyProperties: readonly string[],
  appliedBefore: Position,
): Promise<number> => {
  const { domain, version } = table.metadata;
  let events = 0;
  for (const row of gone) {
    const { drUuid, record, keyText } = row;
    // a row that was never a record needs no deletion
    if (wasReported(row)) {
      const identity = drUuid === null ? { drKey: drKeyOf(record, drKeyProperties) } : { drUuid };
      await adaptor.publish({ action: 'DELETE', domain, version, appliedBefore, ...identity });
      events += 1;
    }
    await state.forget([keyText]);
  }
  return events;
};
