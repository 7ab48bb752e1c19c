import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import { ApplyError, type IncomingEvent } from '@fds/adaptor-sdk';
import type { ColumnValue, ColumnValues } from '../columns/column-text.js';
import { toColumn } from '../source/column-value.js';
import { areSameInColumn } from '../columns/same-value.js';
import type { ColumnEquality } from '../source/column-equality.js';
import { parseRowKey } from '../source/row-key.js';
import type { SourceRow } from '../source/source-row.js';
import type { SourceTable } from '../source/source-table.js';
import type { WritableTable } from '../source/writable-table.js';
import type { TableState } from '../state/adaptor-state.js';
import { type KnownRow, sentValues, wasReported } from '../source/row-base.js';

/** Dependencies of finding the row of a record. */
export interface FindContext {
  readonly table: SourceTable;
  readonly state: Pick<TableState, 'knownRows'>;
  /** The DR Key properties of the domain version, in order. */
  readonly drKeyProperties: readonly string[];
  /** The equality of the columns. */
  readonly equalities: ReadonlyMap<string, ColumnEquality>;
}

/** A row, and the state that belongs to it. */
export interface FoundRow {
  readonly row: SourceRow;
  readonly known: KnownRow | undefined;
}

/** Columns that hold these properties. Undefined unless every property is mapped and has a value. */
export const lookupBy = ({ metadata, dialect }: SourceTable, properties: JsonObject): ColumnValues | undefined => {
  const lookup: Record<string, ColumnValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    const mapped = Object.entries(metadata.dataColumns).find(([, { source }]) => source === name);
    if (mapped === undefined || value === null || value === undefined) return undefined;
    lookup[mapped[0]] = toColumn(mapped[1].columnType, value, dialect);
  }
  return Object.keys(lookup).length === 0 ? undefined : lookup;
};

export const drKeyOf = ({ drKeyProperties }: FindContext, { drKeyValues, json }: IncomingEvent): JsonObject =>
  Object.fromEntries(
    drKeyProperties.map((name, index): [string, JsonValue] => [name, drKeyValues[index] ?? json[name] ?? null]),
  );

/** The row that meets the key belongs to another record. Its key is named, because a person has to find it. */
const keyClash = ({ metadata }: SourceTable, drKey: JsonObject, row: SourceRow): ApplyError => {
  const properties = Object.keys(drKey);
  const held = JSON.stringify(
    properties.map((name) => row.record[name] ?? null),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  return new ApplyError(
    `${metadata.dataSource.tableName}: the database treats the key of the record and the key of the row ${row.keyText} as equal, ` +
      `but the row has another DR Key: ${held}. The row was not changed. A case-sensitive collation of the key column keeps them apart.`,
    { title: `The key of the record meets another row of the table: ${row.keyText}`, properties },
  );
};

/** A refusal because of the row filter. Nothing was written. */
export const outsideOf = ({ metadata }: SourceTable, what: string): ApplyError =>
  new ApplyError(
    `${metadata.dataSource.tableName}: ${what}, but the rowFilter does not admit it. Nothing was written.`,
    {
      title: `The rowFilter does not admit the row of the record`,
    },
  );

/** Does the column store both texts in the same form? Then the database may show one where the other was written. */
const areSameTexts = (equality: ColumnEquality | undefined, held: unknown, value: unknown): boolean => {
  if (typeof held !== 'string' || typeof value !== 'string') return false;
  if (equality?.kind === 'UUID') return held.toLowerCase() === value.toLowerCase();
  return equality?.kind === 'PADDED' && held.trimEnd() === value.trimEnd();
};

/** Does the row have exactly this DR Key, after the conversions of its columns? */
const hasKey = (
  { metadata }: SourceTable,
  equalities: ReadonlyMap<string, ColumnEquality>,
  drKey: JsonObject,
  { row, known }: FoundRow,
): boolean => {
  const before = known === undefined ? undefined : sentValues(known);
  return Object.entries(drKey).every(([property, value]) => {
    const [column, specification] =
      Object.entries(metadata.dataColumns).find(([, { source }]) => source === property) ?? [];
    const held = row.record[property];
    if (areSameInColumn(specification?.columnType, held, value)) return true;
    const equality = equalities.get(column ?? '');
    if (!areSameTexts(equality, held, value) || typeof value !== 'string') return false;
    if (equality?.kind === 'UUID') return true;
    // two keys that differ in blanks have the same row: the row belongs to the one that was written first
    const first = before?.[property];
    return first === undefined || first === held ? value === value.trimEnd() : first === value;
  });
};

/**
 * Has the database given the row of an event another key than the event, by a trigger for example? Only columns that the
 * event writes count.
 *
 * @param before the row before the event: a key that it had already was not changed by the event
 */
export const hasOtherKey = (
  context: FindContext,
  event: IncomingEvent,
  row: SourceRow,
  before: SourceRow | undefined,
): boolean =>
  Object.entries(drKeyOf(context, event)).some(([property, value]) => {
    const [column, specification] =
      Object.entries(context.table.metadata.dataColumns).find(
        ([, { source, insertable }]) => source === property && insertable,
      ) ?? [];
    if (column === undefined || value === null) return false;
    const held = row.record[property];
    const type = specification?.columnType;
    if (before !== undefined && areSameInColumn(type, before.record[property], held)) return false;
    return !areSameInColumn(type, held, value) && !areSameTexts(context.equalities.get(column), held, value);
  });

/** Columns of the key of a known row. */
const keyColumnsOf = ({ table }: FindContext, { keyText }: KnownRow): ColumnValues => {
  const key = parseRowKey(keyText);
  return Object.fromEntries(table.metadata.primaryKeySpecs.map(({ column }, index) => [column, key[index] ?? null]));
};

/** Does the record have a row that `findRow` did not return, because the database does not let the adaptor lock it? */
export const hasReadableRow = async (
  context: FindContext,
  rows: WritableTable,
  event: IncomingEvent,
  knownRecord: KnownRow | undefined,
): Promise<boolean> => {
  // a query of SQLite locks nothing
  if (context.table.dialect === 'sqlite') return false;
  if (knownRecord !== undefined && (await rows.isReadable(keyColumnsOf(context, knownRecord)))) return true;
  const lookup = lookupBy(context.table, drKeyOf(context, event));
  return lookup !== undefined && (await rows.isReadable(lookup));
};

/**
 * Finds and locks the row of a record: by the state of the adaptor, otherwise by its DR Key. A row counts only if its key
 * is exactly that of the record, because the equality of the database may be coarser.
 *
 * @throws ApplyError when the key meets the row of another record, or several rows
 */
export const findRow = async (
  context: FindContext,
  rows: WritableTable,
  event: IncomingEvent,
  knownRecord: KnownRow | undefined,
): Promise<FoundRow | undefined> => {
  const { table, state, equalities } = context;
  if (knownRecord !== undefined) {
    const found = await rows.find(keyColumnsOf(context, knownRecord));
    const row = found.find(({ keyText }) => keyText === knownRecord.keyText);
    if (row !== undefined) return { row, known: knownRecord };
  }
  const drKey = drKeyOf(context, event);
  const lookup = lookupBy(table, drKey);
  if (lookup === undefined) return undefined;
  const found = await rows.find(lookup);
  if (found.length === 0) return undefined;
  const known = await state.knownRows(found.map(({ keyText }) => keyText));
  const candidates = found.map((row): FoundRow => ({ row, known: known.get(row.keyText) }));
  const [own, second] = candidates.filter((candidate) => hasKey(table, equalities, drKey, candidate));
  if (second !== undefined) {
    throw new ApplyError(`${table.metadata.dataSource.tableName}: several rows have the DR Key of the record`, {
      title: 'Several rows of the table have the key of the record',
      properties: Object.keys(drKey),
    });
  }
  const [other] = found;
  if (own === undefined && other !== undefined) throw keyClash(table, drKey, other);
  if (own?.row.isOutside === true && (own.known === undefined || !wasReported(own.known)))
    throw outsideOf(table, `the row ${own.row.keyText} has the key of the record`);
  return own;
};
