import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import {
  ApplyError,
  areEqualJson,
  mergeEvent,
  newProperties,
  wasReadAbsent,
  type IncomingEvent,
  type NotApplied,
} from '@fds/adaptor-sdk';
import type { ColumnValue, ColumnValues } from '../columns/column-text.js';
import { toColumn, ValueFault } from '../source/column-value.js';
import { areSameInColumn, mayBeRounded } from '../columns/same-value.js';
import { parseTimestamp } from '../columns/timestamp-text.js';
import type { ColumnType, TableMetadata } from '../configuration/table-metadata.js';
import type { SourceRow } from '../source/source-row.js';
import type { MappedColumns } from '../source/mapping/table-mapping.js';
import type { SourceTable } from '../source/source-table.js';
import type { WritableTable } from '../source/writable-table.js';
import { baseOfRow, changedProperties, type RowBase } from '../source/row-base.js';
import { columnsReading, isReadByRow, readsOf } from '../source/mapping/table-mapping.js';
import { mappingTitle } from '../source/source-row.js';
import { outsideOf, type FoundRow } from './find-row.js';

/** The effect of an event on a row and on its base. */
export interface Written {
  /** The row after the event; undefined: it does not exist. */
  readonly row: SourceRow | undefined;
  /** Values of the base that are new. */
  readonly base: RowBase;
  /** True: nothing else is known about the row, because the event has created it. */
  readonly isNew: boolean;
  /** Properties that the row does not take over: they are not repeated in reports. */
  readonly unsent: readonly string[];
  /** Properties that a reconciliation found outdated: their values count as unreported from now on. */
  readonly outdated: readonly string[];
  readonly kept: readonly string[];
  readonly notApplied: readonly NotApplied[];
}

const untouched: Written = {
  row: undefined,
  base: { sent: {}, stored: {} },
  isNew: false,
  unsent: [],
  outdated: [],
  kept: [],
  notApplied: [],
};

/** Dependencies of writing a record. */
export interface WriteContext {
  readonly table: SourceTable;
  /** The changes of the table that are reported. A change that is never reported does not keep an incoming value away. */
  readonly reports: { readonly changes: boolean; readonly deletions: boolean };
}

type MappedColumn = readonly [string, TableMetadata['dataColumns'][string]];

const columnsOf = ({ metadata }: SourceTable, property: string): readonly MappedColumn[] =>
  Object.entries(metadata.dataColumns).filter(([, { source }]) => source === property);

const typeOf = (table: SourceTable, property: string): ColumnType | undefined =>
  columnsOf(table, property)[0]?.[1].columnType;

const toColumnOf = (
  { dialect }: SourceTable,
  [column, { source, columnType }]: MappedColumn,
  value: JsonValue,
): ColumnValue => {
  try {
    return toColumn(columnType, value, dialect);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    throw new ApplyError(`${source}: ${error.message}, column ${column} is ${columnType}`, {
      title: `The value of ${source} ${error.message}`,
      properties: [source],
    });
  }
};

/** Why the table cannot take over a property that no column has as its source. */
const unmappedReason = ({ metadata }: SourceTable, property: string): string =>
  Object.hasOwn(metadata.mapping?.toRecord ?? {}, property)
    ? 'it is read-only: no expression of mapping.toRow reads it'
    : 'no column is mapped to it';

/** Values of the data columns that may be written, and the properties that have no column. */
const toDataColumns = (
  table: SourceTable,
  values: JsonObject,
  use: 'insertable' | 'updatable',
): { readonly columns: ColumnValues; readonly refused: readonly NotApplied[] } => {
  const columns: Record<string, ColumnValue> = {};
  const refused: NotApplied[] = [];
  for (const [property, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const mapped = columnsOf(table, property);
    const writable = mapped.filter(([, specification]) => specification[use]);
    for (const one of writable) columns[one[0]] = toColumnOf(table, one, value);
    if (writable.length > 0 || isReadByRow(table.metadata, property)) continue;
    const [first] = mapped;
    const reason = first === undefined ? unmappedReason(table, property) : `the column ${first[0]} is not ${use}`;
    refused.push({ property, reason });
  }
  return { columns, refused };
};

/** The results of these expressions of `mapping.toRow`. @throws ApplyError when one fails */
const mappedColumns = async (
  table: SourceTable,
  rows: WritableTable,
  record: JsonObject,
  names: readonly string[],
): Promise<MappedColumns> => {
  if (names.length === 0) return { results: {}, values: {} };
  const mapped = await rows.mapped(record, names);
  const { fault } = mapped;
  if (fault === undefined) return mapped;
  const title = mappingTitle(fault);
  const reads = readsOf(table.metadata).toRow.get(fault.name)?.names ?? new Set<string>();
  throw new ApplyError(`${table.metadata.dataSource.tableName}: ${title}`, {
    title,
    properties: Object.keys(record).filter((property) => reads.has(property)),
  });
};

/** Columns of `toRow` that get a value in a new row: those that read a property of the record, and constants. */
const insertedColumns = async (table: SourceTable, rows: WritableTable, json: JsonObject): Promise<ColumnValues> => {
  const { toRow } = readsOf(table.metadata);
  const constants = [...toRow].flatMap(([column, { names, isWhole }]) => (names.size > 0 || isWhole ? [] : [column]));
  const names = [...new Set([...columnsReading(table.metadata, Object.keys(json)), ...constants])];
  const { values } = await mappedColumns(table, rows, json, names);
  // a column without a result gets its default
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
};

/** Values of all columns for new values of a row. A column that holds the result of its expression is not written. */
const updatedColumns = async (
  table: SourceTable,
  rows: WritableTable,
  { row, json, write }: { readonly row: SourceRow; readonly json: JsonObject; readonly write: JsonObject },
): Promise<ReturnType<typeof toDataColumns>> => {
  const { columns, refused } = toDataColumns(table, write, 'updatable');
  const names = columnsReading(table.metadata, Object.keys(write));
  // properties that the row does not have are as the event repeats them
  const record = { ...json, ...row.record, ...write };
  const { results, values } = await mappedColumns(table, rows, record, names);
  const differing = Object.entries(values).filter(([column]) => !areEqualJson(results[column], row.columns[column]));
  return { columns: { ...columns, ...Object.fromEntries(differing) }, refused };
};

const pick = (values: JsonObject, properties: readonly string[]): JsonObject =>
  Object.fromEntries(
    properties.flatMap((property): [string, JsonValue | undefined][] =>
      Object.hasOwn(values, property) ? [[property, values[property]]] : [],
    ),
  );

const without = (properties: readonly string[], left: readonly NotApplied[]): readonly string[] =>
  properties.filter((property) => left.every((one) => one.property !== property));

/** A refusal without an error of the database: the row does not have the content of the event. */
export const noEffect = (table: SourceTable, what: string): ApplyError =>
  new ApplyError(
    `${table.metadata.dataSource.tableName}: the statement causes no error, but ${what}. The type of a column, a trigger, a rule, a policy or a view of the database prevents it.`,
    { title: `The database did not take over the record: ${what}` },
  );

const insert = async (
  { table }: WriteContext,
  rows: WritableTable,
  { json, changed }: IncomingEvent,
): Promise<Written> => {
  const { columns, refused } = toDataColumns(table, json, 'insertable');
  const { row } = await rows.insert({ ...columns, ...(await insertedColumns(table, rows, json)) });
  if (row === undefined) throw noEffect(table, 'there is no such row');
  if (row.isOutside) throw outsideOf(table, 'the record would be a new row');
  const isInteresting = new Set(newProperties({ json, ...(changed === undefined ? {} : { changed }) }));
  const sent = pick(json, without(Object.keys(json), refused));
  return {
    ...untouched,
    row,
    base: { sent: pick(sent, Object.keys(row.record)), stored: row.record },
    isNew: true,
    notApplied: refused.filter(({ property }) => isInteresting.has(property)),
  };
};

/** Is one the exact and the other the stored value of the same value? */
const isPair = ({ sent, stored }: RowBase, property: string, left: unknown, right: unknown): boolean => {
  const [exact, held] = [sent[property], stored[property]];
  if (exact === undefined || held === undefined) return false;
  const is = (one: unknown, other: unknown): boolean => areEqualJson(one as JsonValue, other as JsonValue);
  return (is(left, exact) && is(right, held)) || (is(left, held) && is(right, exact));
};

/**
 * Properties that look like unreported changes, but hold the value that this event writes: a crash came between the
 * write and the state. The database decides, by an update that is undone.
 */
const alreadyWritten = async (
  table: SourceTable,
  rows: WritableTable,
  row: SourceRow,
  json: JsonObject,
  kept: readonly string[],
): Promise<readonly string[]> => {
  const likely = kept.filter((property) => mayBeRounded(json[property], row.record[property]));
  const { columns, refused } = await updatedColumns(table, rows, { row, json, write: pick(json, likely) });
  if (Object.keys(columns).length === 0) return [];
  const tried = await rows.tryUpdate(row.key, columns);
  if (tried === undefined) return [];
  return without(likely, refused).filter((property) => areEqualJson(tried.record[property], row.record[property]));
};

/** Properties whose value a trigger has set back. @throws ApplyError when the update has no effect at all */
const setBack = (
  table: SourceTable,
  before: SourceRow,
  after: SourceRow,
  { write, affected }: { readonly write: JsonObject; readonly affected: number },
): readonly NotApplied[] => {
  // an expression may give other properties the same columns
  const same = Object.keys(write).filter((property) => areEqualJson(before.record[property], after.record[property]));
  if (same.length === Object.keys(write).length && affected === 0) throw noEffect(table, 'no row was changed');
  const back = same.filter((property) => !mayBeRounded(write[property], after.record[property]));
  const isOfExpressions = back.every((property) => columnsOf(table, property).length === 0);
  if (back.length > 0 && back.length === Object.keys(write).length && !isOfExpressions)
    throw noEffect(table, `the row still has its former values of ${back.join(', ')}`);
  return back.map((property) => ({ property, reason: 'the database kept its former value' }));
};

/**
 * Properties that the database computed while the event was applied: a generated column, a trigger, a view. No user has
 * changed them. A property that was reported or received is not one of them: the other systems have its former value.
 */
const computedOf = (
  { sent, stored }: RowBase,
  before: SourceRow,
  after: SourceRow,
  unsent: readonly string[],
): readonly string[] =>
  changedProperties({ sent: {}, stored: before.record }, after.record).filter(
    (property) =>
      areEqualJson(before.record[property], stored[property]) &&
      (unsent.includes(property) || !Object.hasOwn(sent, property)),
  );

const update = async (
  { table }: WriteContext,
  rows: WritableTable,
  event: IncomingEvent,
  { row, base }: { readonly row: SourceRow; readonly base: RowBase },
): Promise<Written> => {
  const areEqual = (property: string, left: JsonValue | undefined, right: JsonValue | undefined): boolean =>
    areSameInColumn(typeOf(table, property), left, right) || isPair(base, property, left, right);
  const isMapped = (property: string): boolean =>
    columnsOf(table, property).length > 0 || isReadByRow(table.metadata, property);
  const unmapped = newProperties(event).filter((property) => !isMapped(property));
  const changed = newProperties(event).filter(isMapped);
  const merged = mergeEvent({
    base: base.stored,
    local: row.record,
    event: { json: event.json, changed, ...(event.read === undefined ? {} : { read: event.read }) },
    areEqual,
  });
  const written = await alreadyWritten(table, rows, row, event.json, merged.kept);
  const kept = merged.kept.filter((property) => !written.includes(property));
  const { read = {} } = event;
  const outdated = kept.filter((property) => Object.hasOwn(read, property));
  const { columns, refused } = await updatedColumns(table, rows, { row, json: event.json, write: merged.write });
  const write = pick(merged.write, without(Object.keys(merged.write), refused));
  let after = row;
  let back: readonly NotApplied[] = [];
  if (Object.keys(columns).length > 0) {
    const stored = await rows.update(row.key, columns);
    if (stored.row === undefined) throw noEffect(table, 'the row no longer exists');
    after = stored.row;
    back = setBack(table, row, after, { write, affected: stored.affected });
  } else if (outdated.length > 0 || (kept.length > 0 && table.metadata.scanMethod === 'TIMESTAMP')) {
    // the log has an edit already
    await rows.touch(row.key);
  }
  // a value that the row already had is from now on the record's value
  const settled = without(changed, [...refused, ...back]).filter((property) => !kept.includes(property));
  const modified = table.metadata.timestampSpec?.columnName;
  const stampedProperty = modified === undefined ? undefined : table.metadata.dataColumns[modified]?.source;
  const isStamped = stampedProperty !== undefined && Object.keys(columns).length > 0;
  const unsent = [...refused, ...back].map(({ property }) => property);
  const computed = computedOf(base, row, after, unsent);
  return {
    row: after,
    base: {
      sent: pick(event.json, settled),
      stored: pick(after.record, [...settled, ...computed, ...(isStamped ? [stampedProperty] : [])]),
    },
    isNew: false,
    unsent,
    outdated,
    kept,
    notApplied: [
      ...unmapped.map((property) => ({ property, reason: unmappedReason(table, property) })),
      ...refused,
      ...back,
    ],
  };
};

/**
 * Counts the content of the row as reported? A table that is not scanned, and a row from before the first scan, are never
 * reported.
 */
const isReported = ({ table, reports }: WriteContext, { row, known }: FoundRow): boolean => {
  const { scanMethod, timestampSpec, scanOptions } = table.metadata;
  if (!reports.changes) return true;
  if (known !== undefined || scanMethod === 'LOG') return false;
  const modified = row.modified === null ? undefined : parseTimestamp(row.modified);
  const start = parseTimestamp(timestampSpec?.scanStartTime ?? '');
  // the search for deletions also reports rows without a time
  if (modified === undefined) return !scanOptions.enableDeletionScan || start !== 0n;
  return start !== undefined && modified < start;
};

/**
 * Removes the row, unless it has a change that was not reported. Then the row stays: the adaptor forgets it and reports
 * it as a new one, and the hub decides by the order of its commits.
 */
const remove = async (
  { table }: WriteContext,
  rows: WritableTable,
  { row, base }: { readonly row: SourceRow; readonly base: RowBase },
): Promise<Written> => {
  const kept = changedProperties(base, row.record);
  if (kept.length > 0) {
    await rows.touch(row.key);
    return { ...untouched, kept };
  }
  // a trigger of a view may report a deletion that it did not make
  const { row: after } = await rows.delete(row.key);
  if (after !== undefined) throw noEffect(table, 'the row still exists');
  return untouched;
};

/**
 * Writes an event to its row, in the transaction that has locked it. A change of a user that was not reported stays.
 *
 * @param found the row of the record
 * @param isDeletedHere the record had a row that was reported, and the row does not exist any longer
 * @throws ApplyError when the statement has no effect
 */
export const writeRecord = async (
  context: WriteContext,
  rows: WritableTable,
  event: IncomingEvent,
  found: FoundRow | undefined,
  isDeletedHere: boolean,
): Promise<Written> => {
  if (found === undefined) {
    if (event.action === 'DELETE') return untouched;
    return isDeletedHere && context.reports.deletions && !wasReadAbsent(event)
      ? { ...untouched, kept: newProperties(event) }
      : insert(context, rows, event);
  }
  const { row, known } = found;
  const stored = baseOfRow(known, row.record);
  const base = isReported(context, found) ? { ...stored, stored: row.record } : stored;
  return event.action === 'DELETE' ? remove(context, rows, { row, base }) : update(context, rows, event, { row, base });
};
