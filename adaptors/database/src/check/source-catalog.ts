import type { Knex } from 'knex';
import type { Dialect } from '../source/dialect.js';

/** Names of the tables and columns in a database. */
export interface SourceCatalog {
  schemas(): Promise<readonly string[]>;
  /** Tables and views of a schema; undefined: the default schema of the connection. */
  tables(schema: string | undefined): Promise<readonly string[]>;
  /** Empty when the table does not exist. */
  columns(schema: string | undefined, table: string): Promise<readonly string[]>;
}

interface Questions {
  readonly schemas: string;
  /** Parameter: the schema or null. */
  readonly tables: string;
  /** Parameters: the schema or null, and the table. */
  readonly columns: string;
}

const pgRelations = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
  AND CASE WHEN ?::text IS NULL THEN n.nspname = ANY (current_schemas(false)) ELSE n.nspname = ? END`;

const questions: Readonly<Record<Dialect, Questions>> = {
  postgresql: {
    schemas: `SELECT nspname AS "name" FROM pg_namespace WHERE nspname !~ '^pg_'`,
    tables: `SELECT c.relname AS "name" ${pgRelations}`,
    columns: `SELECT a.attname AS "name" FROM pg_attribute a WHERE a.attnum > 0 AND NOT a.attisdropped
      AND a.attrelid IN (SELECT c.oid ${pgRelations} AND c.relname = ?)`,
  },
  sqlite: {
    schemas: `SELECT name AS "name" FROM pragma_database_list`,
    tables: `SELECT name AS "name" FROM pragma_table_list WHERE schema = coalesce(?, 'main')`,
    columns: `SELECT name AS "name" FROM pragma_table_xinfo(?)`,
  },
  mysql: {
    schemas: 'SELECT schema_name AS `name` FROM information_schema.schemata',
    tables: 'SELECT table_name AS `name` FROM information_schema.tables WHERE table_schema = coalesce(?, database())',
    columns: `SELECT column_name AS \`name\` FROM information_schema.columns
      WHERE table_schema = coalesce(?, database()) AND table_name = ?`,
  },
  mssql: {
    schemas: 'SELECT name AS [name] FROM sys.schemas',
    tables: `SELECT TABLE_NAME AS [name] FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = coalesce(?, schema_name())`,
    columns: `SELECT COLUMN_NAME AS [name] FROM INFORMATION_SCHEMA.COLUMNS
      WHERE TABLE_SCHEMA = coalesce(?, schema_name()) AND TABLE_NAME = ?`,
  },
  oracle: {
    schemas: 'SELECT username AS "name" FROM all_users',
    tables: `SELECT object_name AS "name" FROM all_objects WHERE object_type IN ('TABLE', 'VIEW', 'MATERIALIZED VIEW')
      AND owner = coalesce(?, sys_context('USERENV', 'CURRENT_SCHEMA'))`,
    columns: `SELECT column_name AS "name" FROM all_tab_columns
      WHERE owner = coalesce(?, sys_context('USERENV', 'CURRENT_SCHEMA')) AND table_name = ?`,
  },
};

/** Repeats the parameters as often as the query of the dialect uses them. */
const parametersOf = (dialect: Dialect, schema: string | undefined, table?: string): (string | null)[] => {
  const given = schema ?? null;
  if (dialect === 'postgresql') return table === undefined ? [given, given] : [given, given, table];
  if (dialect === 'sqlite') return [table ?? given];
  return table === undefined ? [given] : [given, table];
};

/** The catalogue of a database. It uses the connection but does not close it. */
export const openSourceCatalog = (connection: Knex, dialect: Dialect): SourceCatalog => {
  const ask = async (question: string, parameters: (string | null)[]): Promise<readonly string[]> => {
    const rows: { name: string }[] = await connection
      .select('name')
      .from(connection.raw(`(${question}) x`, parameters as string[]));
    return rows.map(({ name }) => name);
  };
  return {
    schemas: () => ask(questions[dialect].schemas, []),
    tables: (schema) => ask(questions[dialect].tables, parametersOf(dialect, schema)),
    columns: (schema, table) => ask(questions[dialect].columns, parametersOf(dialect, schema, table)),
  };
};
