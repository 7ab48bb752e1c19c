import { type ChinookTable, chinookTables, type DatabaseEntry, keyOf, modificationColumn } from './chinook-tables.js';
import { comparableRow, type Row } from './comparable-row.js';

export type DatabaseKind = 'SQLITE' | 'POSTGRESQL' | 'MARIADB';

/** A customer's database with tables of Chinook. The methods act like programs of the customer. */
export interface ChinookDatabase {
  readonly kind: DatabaseKind;
  /** The adaptor's configuration of the database. */
  readonly entry: DatabaseEntry;
  /** Number of tables that an adaptor currently reads from the log. */
  tablesReadFromLog(): Promise<number>;
  /** In the order of their keys. */
  rows(table: ChinookTable): Promise<readonly Row[]>;
  /** Sets a column of a row. */
  update(table: ChinookTable, key: number, column: string, value: string): Promise<void>;
  insert(table: ChinookTable, values: Readonly<Record<string, string | number>>): Promise<void>;
  delete(table: ChinookTable, key: number): Promise<void>;
}

interface Dialect {
  quote(name: string): string;
  /** @param index from 1 */
  parameter(index: number): string;
  /** The database's own clock, in UTC. */
  readonly clock: string;
}

const standardQuote = (name: string): string => `"${name}"`;

const dialects: Readonly<Record<DatabaseKind, Dialect>> = {
  SQLITE: { quote: standardQuote, parameter: () => '?', clock: `strftime('%Y-%m-%d %H:%M:%f', 'now')` },
  POSTGRESQL: { quote: standardQuote, parameter: (index) => `$${index}`, clock: 'clock_timestamp()' },
  MARIADB: { quote: (name) => `\`${name}\``, parameter: () => '?', clock: 'utc_timestamp(6)' },
};

/**
 * Query for the number of tables that are read from the log. MariaDB sends its log once for all tables of an adaptor.
 */
const readTables: Readonly<Record<DatabaseKind, string>> = {
  SQLITE: 'SELECT 0 AS n',
  POSTGRESQL: `SELECT count(*) AS n FROM pg_replication_slots
    WHERE starts_with(slot_name, 'fds_') AND active AND database = current_database()`,
  MARIADB: `SELECT count(*) * ${chinookTables.length} AS n FROM information_schema.processlist WHERE command = 'Binlog Dump'`,
};

/** @param run executes a statement and returns the rows of a query */
export const createChinookDatabase = (
  kind: DatabaseKind,
  entry: DatabaseEntry,
  run: (sql: string, values: readonly (string | number)[]) => Promise<readonly Row[]>,
): ChinookDatabase => {
  const { quote, parameter, clock } = dialects[kind];
  const nameOf = ({ table }: ChinookTable): string => quote(table);
  const keyNameOf = (table: ChinookTable): string => quote(keyOf(table).name);
  const modified = quote(modificationColumn);
  return {
    kind,
    entry,
    tablesReadFromLog: async () => {
      if (entry.scanMethod !== 'LOG') return 0;
      const [row] = await run(readTables[kind], []);
      return Number(row?.['n']);
    },
    rows: async (table) => {
      const rows = await run(`SELECT * FROM ${nameOf(table)} ORDER BY ${keyNameOf(table)}`, []);
      return rows.map((row) => comparableRow(table, row));
    },
    update: async (table, key, column, value) => {
      await run(
        `UPDATE ${nameOf(table)} SET ${quote(column)} = ${parameter(1)}, ${modified} = ${clock} WHERE ${keyNameOf(table)} = ${parameter(2)}`,
        [value, key],
      );
    },
    insert: async (table, values) => {
      const columns = Object.keys(values);
      const parameters = columns.map((_, index) => parameter(index + 1));
      await run(
        `INSERT INTO ${nameOf(table)} (${columns.map(quote).join(', ')}, ${modified}) VALUES (${parameters.join(', ')}, ${clock})`,
        Object.values(values),
      );
    },
    delete: async (table, key) => {
      await run(`DELETE FROM ${nameOf(table)} WHERE ${keyNameOf(table)} = ${parameter(1)}`, [key]);
    },
  };
};

/** The table with this name. @throws Error when the table is missing */
export const requireTable = (name: string): ChinookTable => {
  const found = chinookTables.find(({ table }) => table === name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
};
