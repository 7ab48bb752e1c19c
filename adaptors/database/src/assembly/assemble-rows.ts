import {
  stringifyJson,
  type AnsweredRecord,
  type AssemblyRequest,
  type JsonObject,
  type RequestedRecord,
} from '@fds/adaptor-protocol';
import type { Assembled } from '@fds/adaptor-sdk';
import { toColumn, toProperty, ValueFault } from '../source/column-value.js';
import { parseTimestamp } from '../columns/timestamp-text.js';
import { lookupBy } from '../incoming/find-row.js';
import type { SourceRow } from '../source/source-row.js';
import type { ColumnValues } from '../columns/column-text.js';
import type { ColumnOrder, SourceTable } from '../source/source-table.js';
import { pageInMemory, type PropertyOrder } from './page-in-memory.js';

const defaultPageSize = 100;

/** The values of these properties as text: they identify a row by its DR Key. */
const identityOf = (names: readonly string[], properties: JsonObject): string =>
  stringifyJson(names.map((name) => properties[name] ?? null));

/**
 * A DR Key with its values in the form in which the columns return them, so that different spellings of a value are
 * equal.
 */
const asRead = ({ metadata, dialect }: SourceTable, drKey: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(drKey).map(([name, value]) => {
      const mapped = Object.values(metadata.dataColumns).find(({ source }) => source === name);
      if (mapped === undefined || value === undefined) return [name, value ?? null];
      return [name, toProperty(mapped.columnType, toColumn(mapped.columnType, value, dialect))];
    }),
  );

/** The column values to find a record by; undefined when no row can have its DR Key. */
const soughtBy = (
  table: SourceTable,
  record: RequestedRecord,
): { readonly record: RequestedRecord; readonly lookup: ColumnValues; readonly identity: string } | undefined => {
  try {
    const lookup = lookupBy(table, record.drKey);
    if (lookup === undefined) return undefined;
    return { record, lookup, identity: identityOf(Object.keys(record.drKey), asRead(table, record.drKey)) };
  } catch (error) {
    if (error instanceof ValueFault) return undefined;
    throw error;
  }
};

/** Converts `name,-changed` to properties, with their columns. @throws Error for a property that is not mapped */
const orderOf = (
  { metadata }: SourceTable,
  sort: string | undefined,
): readonly (PropertyOrder & { readonly column: string | undefined })[] =>
  (sort ?? '')
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => {
      const property = term.replace(/^[-+]/, '');
      const mapped = Object.entries(metadata.dataColumns).find(([, { source }]) => source === property);
      if (mapped === undefined && !Object.hasOwn(metadata.mapping?.toRecord ?? {}, property))
        throw new Error(`sort: no column holds the property ${property}`);
      return { property, column: mapped?.[0], order: term.startsWith('-') ? 'desc' : 'asc' };
    });

/** A page of the rows that belong to the domain. The database does not know filters and properties of expressions. */
const pageOf = (
  table: SourceTable,
  offset: number,
  size: number,
  sort: string | undefined,
): ReturnType<typeof pageInMemory> => {
  const order = orderOf(table, sort);
  const columns = order.flatMap(({ column, order: direction }): ColumnOrder[] =>
    column === undefined ? [] : [{ column, order: direction }],
  );
  return table.metadata.rowFilter === undefined && columns.length === order.length
    ? table.page(offset, size, columns)
    : pageInMemory(table, offset, size, order);
};

const pick = (record: JsonObject, requested: readonly string[] | null): JsonObject =>
  requested === null ? record : Object.fromEntries(Object.entries(record).filter(([name]) => requested.includes(name)));

/** A row with the values that can be read. */
type AnsweredRow = Pick<SourceRow, 'record' | 'modified'>;

const toAnswer = (
  row: AnsweredRow,
  drKey: JsonObject,
  { requestedProperties }: AssemblyRequest,
  drUuid?: string,
): AnsweredRecord => {
  const changed = row.modified === null ? undefined : parseTimestamp(row.modified);
  return {
    ...(drUuid === undefined ? {} : { drUuid }),
    drKey,
    data: pick(row.record, requestedProperties),
    ...(changed === undefined ? {} : { lastUpdated: Number(changed / 1000n) }),
  };
};

const answerRecords = async (
  table: SourceTable,
  records: readonly RequestedRecord[],
  request: AssemblyRequest,
): Promise<Assembled> => {
  const sought = records.map((record) => soughtBy(table, record)).filter((one) => one !== undefined);
  const { rows, faulty } = await table.findAny(sought.map(({ lookup }) => lookup));
  // a row that cannot become a record exists nevertheless: without it, the record would count as missing here
  const existing: AnsweredRow[] = [
    ...faulty.map(({ readable, modified }) => ({ record: readable, modified })),
    ...rows,
  ];
  const names = [...new Set(sought.map(({ record }) => stringifyJson(Object.keys(record.drKey))))].map(
    (text) => JSON.parse(text) as string[],
  );
  const found = new Map(
    existing.flatMap((row) => names.map((of) => [stringifyJson(of) + identityOf(of, row.record), row] as const)),
  );
  return {
    records: sought.flatMap(({ record: { drUuid, drKey }, identity }) => {
      const row = found.get(stringifyJson(Object.keys(drKey)) + identity);
      return row === undefined ? [] : [toAnswer(row, drKey, request, drUuid)];
    }),
  };
};

/**
 * Reads live rows: the named records by their DR Keys, or a page of the table. The answer has those
 * properties of a named row that can be read, also if the row cannot become a record.
 *
 * @param drKeyProperties of the domain version
 */
export const assembleRows = async (
  table: SourceTable,
  drKeyProperties: readonly string[],
  request: AssemblyRequest,
): Promise<Assembled> => {
  if (request.records !== null) return answerRecords(table, request.records, request);
  const size = request.size ?? defaultPageSize;
  const { rows, total } = await pageOf(table, (request.page ?? 0) * size, size, request.sort);
  const drKeyOf = ({ record }: SourceRow): JsonObject =>
    Object.fromEntries(drKeyProperties.map((name) => [name, record[name] ?? null]));
  return { records: rows.map((row) => toAnswer(row, drKeyOf(row), request)), totalElements: total };
};
