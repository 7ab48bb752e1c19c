import { stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { columnText, type ColumnValue } from '../columns/column-text.js';
import { toProperty, ValueFault } from './column-value.js';
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
}

const isFaulty = (row: SourceRow | FaultyRow): row is FaultyRow => 'fault' in row;

/** @param row the name of the table, and the key of the row if known */
export const missingKey = (row: string, column: string): string =>
  `${row}, key column ${column}: is null, and primaryKeySpecs requires a value`;

type MappedColumn = readonly [string, TableMetadata['dataColumns'][string]];

const readRow = (
  table: TableMetadata,
  dataColumns: readonly MappedColumn[],
  raw: Readonly<Record<string, ColumnValue>>,
): SourceRow | FaultyRow => {
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
      faulty ??= {
        fault: `${table.dataSource.tableName} ${keyText}, column ${column}: ${error.message} (${columnType})`,
        title: `A row cannot be read: ${source} ${error.message}`,
        property: source,
      };
    }
  }
  if (faulty !== undefined) return { key, keyText, modified, ...faulty, readable: record };
  const recordText = stringifyJson(record);
  return { key, keyText, record, recordText, digest: digestOf(recordText), modified };
};

/** Converts raw rows to records of the domain. */
export const readRows = (table: TableMetadata, raw: readonly Readonly<Record<string, ColumnValue>>[]): ReadRows => {
  const dataColumns = Object.entries(table.dataColumns);
  const read = raw.map((row) => readRow(table, dataColumns, row));
  return { rows: read.filter((row) => !isFaulty(row)) as SourceRow[], faulty: read.filter(isFaulty) };
};
