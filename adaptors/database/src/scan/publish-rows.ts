import type { AdaptorError, JsonObject, Position } from '@fds/adaptor-protocol';
import { EventTooLarge } from '@fds/adaptor-sdk';
import type { FaultyRow, ReadRows, SourceRow } from '../source/source-row.js';
import { unreported } from '../state/adaptor-state.js';
import {
  baseOf,
  baseOfRow,
  changedProperties,
  isOnlyNoted,
  knownRowOf,
  mergedBase,
  noRecord,
  recordWithBase,
  reportedBase,
  reportOf,
  sentValues,
  unknownBase,
  wasReported,
  withNotesSince,
  type KnownRow,
  type RowBase,
} from '../source/row-base.js';
import type { ScanContext } from './scan-context.js';

/** Digests of rows that are not valid records begin with it. */
const faultMark = 'fault ';

/**
 * The state of a row that is not a valid record, so that its fault is reported once. A row that was reported keeps its
 * base: its deletion is reported too, and a repair reports the values that a user has changed.
 */
const knownFault = ({ keyText, modified, fault }: FaultyRow, before: KnownRow | undefined): KnownRow => ({
  keyText,
  digest: `${faultMark}${modified} ${fault}`,
  drUuid: null,
  record: before === undefined || !wasReported(before) ? noRecord : recordWithBase(before),
});

/** A row with content that was not reported. */
interface News {
  readonly row: SourceRow;
  readonly known: KnownRow | undefined;
  readonly before: RowBase;
  readonly changed: readonly string[];
}

const newsOf = (row: SourceRow, known: KnownRow | undefined): News => {
  const before = baseOfRow(known, row.record);
  // nearly all rows of a first discovery: nothing is compared
  const changed = before === unknownBase ? Object.keys(row.record) : changedProperties(before, row.record);
  return { row, known, before, changed };
};

/** The base after the report. */
const baseAfter = ({ row, before, changed }: News): RowBase => reportedBase(before, row.record, changed);

/** False: the content of the row is not new, and the state has another digest. */
const hasContent = ({ changed }: News): boolean => changed.length > 0;

/** The row could not be read before. It is reported even if its content is not new, because its fault was. */
const isRepaired = ({ known }: News): boolean => known?.digest.startsWith(faultMark) === true;

const isNew = ({ known }: News): boolean =>
  known === undefined || (known.drUuid === null && (known.digest === unreported || !wasReported(known)));

const stateWith = ({ keyText, record }: SourceRow, base: RowBase): KnownRow =>
  knownRowOf({ keyText, drUuid: null }, base, Object.keys(record));

/** The state after the report. If every value is reported, it is the text of the row, which is not written again. */
const stateOf = (news: News): KnownRow => {
  const { keyText, digest, recordText } = news.row;
  return news.before === unknownBase
    ? { keyText, drUuid: null, digest, record: recordText }
    : stateWith(news.row, baseAfter(news));
};

const drKeyOf = ({ drKeyProperties }: ScanContext, values: JsonObject): JsonObject =>
  Object.fromEntries(drKeyProperties.map((name) => [name, values[name] ?? null]));

/**
 * An error about a row. It names the row by the DR Key that the server knows, otherwise by the present one:
 * the next event of the row closes the issue.
 */
const errorOf = (
  context: ScanContext,
  error: Pick<AdaptorError, 'message' | 'title' | 'properties'>,
  values: JsonObject,
  before: KnownRow | undefined,
): AdaptorError => {
  const { domain, version } = context.table.metadata;
  const drKey = drKeyOf(context, before !== undefined && wasReported(before) ? sentValues(before) : values);
  const hasKey = Object.values(drKey).every((value) => value !== null);
  return { level: 'ERROR', kind: 'DATA', ...error, ...(hasKey ? { domain, version, drKey } : {}) };
};

const faultOf = ({ fault, title, property }: FaultyRow) => ({
  message: fault,
  title,
  ...(property === undefined ? {} : { properties: [property] }),
});

const publishRow = async (context: ScanContext, news: News, appliedBefore: Position): Promise<void> => {
  const { adaptor, table } = context;
  const { domain, version } = table.metadata;
  const { row, known, before, changed } = news;
  const [action, json] = isNew(news)
    ? // a value that an event has written before a crash is reported exactly
      (['POST', before === unknownBase ? row.record : reportOf(before, row.record, changed)] as const)
    : (['PUT', reportOf(before, row.record, changed)] as const);
  const knownAs = known?.drUuid ?? undefined;
  try {
    await adaptor.publish({
      action,
      domain,
      version,
      json,
      appliedBefore,
      ...(knownAs === undefined ? {} : { knownAs }),
    });
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    const message = `${table.metadata.dataSource.tableName} ${row.keyText}: ${error.message}`;
    await adaptor.reportError(errorOf(context, { message, title: 'A row is too large to be sent' }, row.record, known));
  }
};

/** Rows as they were read, and the adaptor's position before the read. */
export interface RowsRead extends Omit<ReadRows, 'outside'> {
  readonly appliedBefore: Position;
  /** Mark of the written rows before the read. */
  readonly mark: number;
  /** Position of the scan after the rows are reported. */
  readonly scannedUntil?: bigint | undefined;
}

/** Rows with the same key and different contents become one fault: none of them is the row of the record. */
const withoutTwins = (
  { table }: ScanContext,
  { rows, faulty }: Pick<RowsRead, 'rows' | 'faulty'>,
): Pick<RowsRead, 'rows' | 'faulty'> => {
  const all = [...rows, ...faulty];
  if (new Set(all.map(({ keyText }) => keyText)).size === all.length) return { rows, faulty };
  const contentOf = (row: SourceRow | FaultyRow): string => ('digest' in row ? row.digest : row.fault);
  const first = new Map<string, string>();
  const twins = new Map<string, FaultyRow>();
  for (const row of all) {
    const { key, keyText, modified } = row;
    const content = contentOf(row);
    if ((first.get(keyText) ?? content) !== content || twins.has(keyText))
      twins.set(keyText, {
        key,
        keyText,
        modified,
        fault: `${table.metadata.dataSource.tableName} ${keyText}: several rows have this key, with different contents`,
        title: 'A row cannot be read: other rows of the table have the same key',
        property: undefined,
        readable: 'record' in row ? row.record : row.readable,
      });
    first.set(keyText, content);
  }
  const isSingle = ({ keyText }: SourceRow | FaultyRow): boolean => !twins.has(keyText);
  return { rows: rows.filter(isSingle), faulty: [...faulty.filter(isSingle), ...twins.values()] };
};

/**
 * The rows, and the state of them that is at least as old as their content. Rows that incoming events have written since
 * they were read are read again, and so are rows with a fault before: a row with the same key may still exist.
 */
const withStates = async (
  context: ScanContext,
  read: Pick<RowsRead, 'rows' | 'faulty' | 'mark'>,
): Promise<Omit<ReadRows, 'outside'> & { readonly mark: number; readonly before: ReadonlyMap<string, KnownRow> }> => {
  const { table, state, written } = context;
  let { rows, faulty, mark } = read;
  for (let isFirst = true; ; isFirst = false) {
    await written.known();
    const all = [...rows, ...faulty];
    const keyTexts = all.map(({ keyText }) => keyText);
    const before = await state.knownRows(keyTexts);
    const touched = new Set(written.since(mark, keyTexts));
    if (isFirst)
      for (const { key, keyText } of all)
        if (before.get(keyText)?.digest.startsWith(faultMark) === true && !key.includes(null)) touched.add(keyText);
    if (touched.size === 0) return { ...withoutTwins(context, { rows, faulty }), mark, before };
    mark = written.mark();
    const again = await table.findKeys(all.filter(({ keyText }) => touched.has(keyText)).map(({ key }) => key));
    const isUntouched = ({ keyText }: SourceRow | FaultyRow): boolean => !touched.has(keyText);
    rows = [...rows.filter(isUntouched), ...again.rows];
    faulty = [...faulty.filter(isUntouched), ...again.faulty];
  }
};

/**
 * The states after the reports. If an incoming event has changed a row since, its properties have another base now, which
 * stays. A row that an incoming event has removed stays forgotten.
 */
const statesAfter = async (
  { state, written }: ScanContext,
  news: readonly News[],
  mark: number,
): Promise<readonly KnownRow[]> => {
  const keyTexts = news.map(({ row }) => row.keyText);
  if (written.since(mark, keyTexts).length === 0) return news.map(stateOf);
  const now = await state.knownRows(keyTexts);
  return news.flatMap((one) => {
    const present = now.get(one.row.keyText);
    if (present === undefined) return [];
    if (present.digest === unreported) return [stateOf(one)];
    const base = mergedBase(one.before, baseOf(present), baseAfter(one), one.changed);
    return [withNotesSince(stateWith(one.row, base), one.known, present)];
  });
};

/**
 * Publishes the rows with new content, and stores their content after the events are durable. So a crash can only
 * repeat an event. A report has the changed values of the row, and the others exactly as they were last reported or
 * received.
 *
 * @returns the number of events
 */
export const publishRows = async (
  context: ScanContext,
  { appliedBefore, scannedUntil, ...read }: RowsRead,
): Promise<number> => {
  const { state, adaptor, written } = context;
  const { rows, faulty, mark, before } = await withStates(context, read);
  const differing = rows
    .filter(({ keyText, digest }) => before.get(keyText)?.digest !== digest)
    .map((row) => newsOf(row, before.get(row.keyText)));
  // stored before their events, so that a deletion during a crash is reported
  const isUnknown = ({ known }: News): boolean => known === undefined || isOnlyNoted(known);
  const announced = differing.filter(isUnknown);
  const changed = differing.filter((one) => !isUnknown(one));
  const news = differing.filter((one) => isNew(one) || hasContent(one) || isRepaired(one));
  await state.announceRows(announced.map(stateOf));
  const faults = faulty.flatMap((row) => {
    const known = before.get(row.keyText);
    const state = knownFault(row, known);
    return known?.digest === state.digest ? [] : [{ ...row, state }];
  });
  await Promise.all(news.map((one) => publishRow(context, one, appliedBefore)));
  for (const row of faults)
    await adaptor.reportError(errorOf(context, faultOf(row), row.readable, before.get(row.keyText)));
  await written.locked(
    differing.map(({ row }) => row.keyText),
    async () => {
      await state.confirmRows(await statesAfter(context, announced, mark));
      await state.rememberRows([...(await statesAfter(context, changed, mark)), ...faults.map((fault) => fault.state)]);
    },
  );
  // stored after the rows: after a crash between the two, the rows are read again and found unchanged
  if (scannedUntil !== undefined) await state.rememberScan(scannedUntil);
  return news.length;
};

/**
 * Publishes a deletion for each of these rows, which no longer exist.
 *
 * @returns the number of events
 */
export const publishDeletions = async (
  context: ScanContext,
  gone: Iterable<KnownRow>,
  appliedBefore: Position,
): Promise<number> => {
  const { table, state, adaptor } = context;
  const { domain, version } = table.metadata;
  let events = 0;
  for (const known of gone) {
    const { drUuid, keyText } = known;
    // a row that was never a record needs no deletion
    if (wasReported(known)) {
      const identity = drUuid === null ? { drKey: drKeyOf(context, sentValues(known)) } : { drUuid };
      await adaptor.publish({ action: 'DELETE', domain, version, appliedBefore, ...identity });
      events += 1;
    }
    await state.forget([keyText]);
  }
  return events;
};
