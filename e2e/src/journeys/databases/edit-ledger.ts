import { type ChinookTable, keyOf } from './chinook-tables.js';
import type { Row } from './comparable-row.js';

/** The required values at the end of the edits. */
export interface EditLedger {
  readonly edits: number;
  /** Only one editor writes the row: it keeps this value, or is deleted. */
  mustBe(table: ChinookTable, key: number, change: { readonly column: string; readonly value: string } | 'GONE'): void;
  /** Several editors may write the row at the same time: one of the values remains. */
  mayBe(table: ChinookTable, key: number, column: string, value: string): void;
  /** Differences between the rows of a table and the required values. */
  faults(table: ChinookTable, rows: readonly Row[]): readonly string[];
}

interface Demand {
  readonly column: string;
  readonly values: ReadonlySet<string>;
}

export const createEditLedger = (): EditLedger => {
  const demands = new Map<string, Map<number, Demand | 'GONE'>>();
  let edits = 0;
  const demand = ({ table }: ChinookTable, key: number, what: Demand | 'GONE'): void => {
    edits += 1;
    const ofTable = demands.get(table) ?? new Map<number, Demand | 'GONE'>();
    demands.set(table, ofTable.set(key, what));
  };
  return {
    get edits() {
      return edits;
    },
    mustBe: (table, key, change) =>
      demand(table, key, change === 'GONE' ? change : { column: change.column, values: new Set([change.value]) }),
    mayBe: (table, key, column, value) => {
      const before = demands.get(table.table)?.get(key);
      const values = before === undefined || before === 'GONE' ? [] : before.values;
      demand(table, key, { column, values: new Set([...values, value]) });
    },
    faults: (table, rows) => {
      const byKey = new Map(rows.map((row) => [row[keyOf(table).name], row]));
      return [...(demands.get(table.table) ?? [])].flatMap(([key, wanted]) => {
        const row = byKey.get(key);
        const place = `${table.table} ${key}`;
        if (wanted === 'GONE') return row === undefined ? [] : [`${place} is not deleted`];
        if (row === undefined) return [`${place} is missing`];
        const value = row[wanted.column];
        return typeof value === 'string' && wanted.values.has(value)
          ? []
          : [`${place}: ${wanted.column} is ${String(value)}, not ${[...wanted.values].join(' or ')}`];
      });
    },
  };
};
