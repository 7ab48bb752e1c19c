import { fromFloat } from '../columns/exact-number.js';
import type { ColumnValue } from '../columns/column-text.js';

/** A FLOAT of MySQL or MariaDB. The server sends its text with six digits. */
export class RoundedFloat {
  constructor(readonly text: string) {}
}

type RawRow = Readonly<Record<string, ColumnValue>>;

/** Remembers the columns of 4-byte floats of a table, whose values are selected as DOUBLE, which the server sends exactly. */
export interface FloatColumns {
  has(column: string): boolean;
  /** Notes a column that the catalogue names. */
  add(column: string): void;
  /** Notes the columns with rounded values. @returns true when there are new ones: the rows have to be read again */
  note(rows: readonly Readonly<Record<string, unknown>>[]): boolean;
  /** Rows whose values of these columns have the shortest spelling of a 4-byte float. */
  spelled(rows: readonly RawRow[]): readonly RawRow[];
}

export const createFloatColumns = (): FloatColumns => {
  const known = new Set<string>();
  return {
    has: (column) => known.has(column),
    add: (column) => void known.add(column),
    note: (rows) => {
      const before = known.size;
      for (const row of rows)
        for (const [column, value] of Object.entries(row)) if (value instanceof RoundedFloat) known.add(column);
      return known.size > before;
    },
    spelled: (rows) =>
      known.size === 0
        ? rows
        : rows.map((row) => {
            const exact = [...known].flatMap((column) => {
              const value = row[column];
              return typeof value === 'number' ? [[column, fromFloat(value)] as const] : [];
            });
            return exact.length === 0 ? row : { ...row, ...Object.fromEntries(exact) };
          }),
  };
};
