import { stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { columnText, type ColumnValue } from '../columns/column-text.js';
import { toProperty, ValueFault } from './column-value.js';
import type { MappedRow, MappingFault } from './mapping/table-mapping.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { digestOf } from './row-base.js';
import { rowKeyText, type RowKey } from './row-key.js';

/** A row as the adaptor reads it. */
export interface SourceRow {
  readonly key: RowKey;
  readonly keyText: string;
  /** Values of the mapped columns by domain property. */
  readonly record: JsonObject;
  /** The record as JSON. */
  readonly recordText: string;
  /** Distinguishes different contents. */
  readonly digest: string;
  /** The current value of the modification column; null without one. */
  readonly modified: string | null;
  /** The columns that expressions read and write; empty without expressions. */
  readonly columns: JsonObject;
  /** True: the row does not satisfy the row filter. */
  readonly isOutside: boolean;
}

/** A row that cannot become a record of the domain. */
export interface FaultyRow {
  readonly key: RowKey;
  readonly keyText: string;
  readonly modified: string | null;
  /** Names the table, the key and the column, but not the value. */
  readonly fault: string;
  /** The fault in one sentence for a steward, without values and keys. */
  readonly title: string;
  /** The property that cannot be read; undefined: the key lacks a value. */
  readonly property: string | undefined;
  /** The values of the other properties. */
  readonly readable: JsonObject;
}

/** Rows as they were read, with invalid records in a separate list. */
export interface ReadRows {
  readonly rows: readonly SourceRow[];
  readonly faulty: readonly FaultyRow[];
  /** Rows that exist and do not belong to the domain, because of the row filter. */
  readonly outside: readonly SourceRow[];
}

const isFaulty = (row: SourceRow | FaultyRow): row is FaultyRow => 'fault' in row;

/** @param row the name of the table, and the key of the row if known */
export const missingKey = (row: string, column: string): string =>
  `${row}, key column ${column}: is null, and primaryKeySpecs requires a value`;

/** The fault of an expression in one sentence. */
export const mappingTitle = ({ name, where, message }: MappingFault): string =>
  where === 'rowFilter' ? `The rowFilter ${message}` : `The expression of ${name} in ${where} ${message}`;

type MappedColumn = readonly [string, TableMetadata['dataColumns'][string]];

const readRow = (
  table: TableMetadata,
  dataColumns: readonly MappedColumn[],
  raw: Readonly<Record<string, ColumnValue>>,
  mapped: MappedRow | undefined,
): SourceRow | FaultyRow => {
  const isOutside = mapped?.isInside === false;
  const key = table.primaryKeySpecs.map(({ column }) => raw[column] ?? null);
  const keyText = rowKeyText(key);
  const modifiedValue = table.timestampSpec === undefined ? null : (raw[table.timestampSpec.columnName] ?? null);
  const modified = modifiedValue === null ? null : columnText(modifiedValue);
  const keyless = table.primaryKeySpecs.find(({ required }, index) => required && key[index] === null);
  if (keyless !== undefined) {
    const fault = missingKey(`${table.dataSource.tableName} ${keyText}`, keyless.column);
    const title = `A row cannot be read: its key column ${keyless.column} is empty`;
    return { key, keyText, modified, fault, title, property: undefined, readable: {} };
  }
  const record: Record<string, JsonValue> = {};
  let faulty: Pick<FaultyRow, 'fault' | 'title' | 'property'> | undefined;
  for (const [column, { source, columnType }] of dataColumns) {
    try {
      record[source] = toProperty(columnType, raw[column] ?? null);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
      if (isOutside) {
        record[source] = null;
        continue;
      }
      faulty ??= {
        fault: `${table.dataSource.tableName} ${keyText}, column ${column}: ${error.message} (${columnType})`,
        title: `A row cannot be read: ${source} ${error.message}`,
        property: source,
      };
    }
  }
  if (mapped?.fault !== undefined && faulty === undefined) {
    const { fault: found } = mapped;
    const title = mappingTitle(found);
    faulty = {
      fault: `${table.dataSource.tableName} ${keyText}: ${title}`,
      title: `A row cannot be read: ${title}`,
      property: found.where === 'rowFilter' ? undefined : found.name,
    };
  }
  if (faulty !== undefined) return { key, keyText, modified, ...faulty, readable: record };
  Object.assign(record, mapped?.record);
  const recordText = stringifyJson(record);
  const columns = mapped?.columns ?? {};
  return { key, keyText, record, recordText, digest: digestOf(recordText), modified, columns, isOutside };
};

/** Converts raw rows to records of the domain. */
export const readRows = (
  table: TableMetadata,
  raw: readonly Readonly<Record<string, ColumnValue>>[],
  mapped?: readonly MappedRow[],
): ReadRows => {
  const dataColumns = Object.entries(table.dataColumns);
  const read = raw.map((row, at) => readRow(table, dataColumns, row, mapped?.[at]));
  const valid = read.filter((row) => !isFaulty(row)) as SourceRow[];
  return {
    rows: valid.filter(({ isOutside }) => !isOutside),
    faulty: read.filter(isFaulty),
    outside: valid.filter(({ isOutside }) => isOutside),
  };
};
