import type { ChinookTable } from './chinook-tables.js';

export type Row = Readonly<Record<string, unknown>>;

/** A value in a form that is the same for all databases. */
const comparable = (value: unknown): unknown => {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}/.test(value)) {
    return Date.parse(`${value.replace(' ', 'T').replace(/(?:\.\d+)?Z?$/, '')}Z`);
  }
  return typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    ? Number(value)
    : value;
};

/** The columns of the table, without the modification column. */
export const comparableRow = ({ columns }: ChinookTable, row: Row): Row =>
  Object.fromEntries(
    columns.map(({ name, columnType }) => [name, columnType === 'STRING' ? row[name] : comparable(row[name])]),
  );
