import type { Knex } from 'knex';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';
import { regclassName } from './identifier.js';

/**
 * How a column compares texts. EXACT: as the hub does. UUID: without regard to the case of letters, and the column stores
 * one form. PADDED: without blanks at the end, which the column adds. COARSE: it treats other texts as equal too.
 */
export interface ColumnEquality {
  readonly kind: 'EXACT' | 'UUID' | 'PADDED' | 'COARSE';
  /** Type and collation, for a person. */
  readonly description: string;
}

interface Described {
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  /** PostgreSQL: is the collation deterministic? */
  readonly deterministic?: boolean | null;
}

const questions: Readonly<Record<Dialect, string>> = {
  postgresql: `SELECT a.attname AS "name", format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL) AS "type",
      co.collname AS "collation", co.collisdeterministic AS "deterministic"
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation co ON co.oid = a.attcollation
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = to_regclass(?)`,
  sqlite: `SELECT c.name AS "name", c.type AS "type", (SELECT x.coll FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) x
      WHERE x.cid = c.cid AND x.coll <> 'BINARY' LIMIT 1) AS "collation" FROM pragma_table_xinfo(?) c`,
  mysql: `SELECT column_name AS \`name\`, data_type AS \`type\`, collation_name AS \`collation\` FROM information_schema.columns
    WHERE table_schema = coalesce(?, database()) AND table_name = ?`,
  mssql: `SELECT COLUMN_NAME AS [name], DATA_TYPE AS [type], COLLATION_NAME AS [collation] FROM INFORMATION_SCHEMA.COLUMNS
    WHERE TABLE_SCHEMA = coalesce(?, schema_name()) AND TABLE_NAME = ?`,
  oracle: `SELECT column_name AS "name", data_type AS "type", collation AS "collation" FROM all_tab_columns
    WHERE owner = coalesce(?, sys_context('USERENV', 'CURRENT_SCHEMA')) AND table_name = ?`,
};

const parametersOf = (dialect: Dialect, dataSource: TableMetadata['dataSource']): (string | null)[] => {
  const { schema, tableName } = dataSource;
  if (dialect === 'postgresql') return [regclassName(dataSource)];
  if (dialect === 'sqlite') return [tableName, tableName];
  return [schema ?? null, tableName];
};

const padded = /^(character|char|nchar|bpchar)$/i;
const uuid = /^(uuid|uniqueidentifier)$/i;

const isExactCollation = (dialect: Dialect, collation: string): boolean => {
  switch (dialect) {
    // other binary collations of MySQL and MariaDB ignore blanks at the end
    case 'mysql':
      return /nopad_bin$|_0900_bin$|^binary$/.test(collation);
    // SQL Server ignores blanks at the end in every collation
    case 'mssql':
      return false;
    case 'oracle':
      return /^(BINARY|USING_NLS_COMP)$/.test(collation);
    case 'sqlite':
      return collation === 'BINARY';
    case 'postgresql':
      return true;
  }
};

const kindOf = (dialect: Dialect, { type, collation, deterministic }: Described): ColumnEquality['kind'] => {
  if (uuid.test(type)) return 'UUID';
  if (type === 'citext' || deterministic === false) return 'COARSE';
  const isExact = collation === null || isExactCollation(dialect, collation);
  if (padded.test(type) && dialect !== 'sqlite' && (isExact || dialect === 'postgresql')) return 'PADDED';
  return isExact ? 'EXACT' : 'COARSE';
};

/** Reads the equality of the columns of a table or view. Empty where the catalogue does not have it. */
export const readEqualities = async (
  connection: Knex,
  dialect: Dialect,
  table: TableMetadata['dataSource'],
): Promise<ReadonlyMap<string, ColumnEquality>> => {
  const rows: Described[] = await connection
    .select('*')
    .from(connection.raw(`(${questions[dialect]}) x`, parametersOf(dialect, table) as string[]));
  return new Map(
    rows.map((row) => [
      row.name,
      {
        kind: kindOf(dialect, row),
        description: row.collation === null ? row.type : `${row.type}, collation ${row.collation}`,
      },
    ]),
  );
};
