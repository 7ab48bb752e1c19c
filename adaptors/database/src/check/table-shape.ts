import { pointerOf } from '../configuration/fault.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from '../source/dialect.js';
import { regclassName } from '../source/identifier.js';
import type { OpenedDatabase } from '../source/open-databases.js';

interface Questions {
  /** One row: it is a table, and not a view. */
  readonly table: string;
  /** The columns of each unique key that covers all rows. */
  readonly unique: string;
  /** Columns that a new row must have a value for, because the database gives none. */
  readonly required: string;
}

const mysqlTable = 'table_schema = coalesce(?, database()) AND table_name = ?';

/** The databases on which a test runs the questions. */
const questions: Readonly<Partial<Record<Dialect, Questions>>> = {
  postgresql: {
    table: `SELECT relname AS "name" FROM pg_class WHERE oid = to_regclass(?) AND relkind IN ('r', 'p')`,
    unique: `SELECT i.indexrelid::text AS "key", a.attname AS "name" FROM pg_index i JOIN pg_attribute a
        ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0 : i.indnkeyatts - 1])
      WHERE i.indrelid = to_regclass(?) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL`,
    required: `SELECT attname AS "name" FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0
      AND NOT attisdropped AND attnotnull AND NOT atthasdef AND attidentity = ''`,
  },
  mysql: {
    table: `SELECT table_name AS \`name\` FROM information_schema.tables WHERE ${mysqlTable} AND table_type <> 'VIEW'`,
    unique: `SELECT index_name AS \`key\`, column_name AS \`name\` FROM information_schema.statistics
      WHERE ${mysqlTable} AND non_unique = 0`,
    required: `SELECT column_name AS \`name\` FROM information_schema.columns WHERE ${mysqlTable} AND is_nullable = 'NO'
      AND column_default IS NULL AND extra NOT LIKE '%auto_increment%' AND coalesce(generation_expression, '') = ''`,
  },
  sqlite: {
    table: `SELECT name AS "name" FROM pragma_table_list WHERE schema = 'main' AND name = ? AND type IN ('table', 'virtual')`,
    unique: `SELECT 'primary' AS "key", c.name AS "name" FROM pragma_table_xinfo(?) c WHERE c.pk > 0
      UNION ALL SELECT 'index ' || i.name, x.name FROM pragma_index_list(?) i, pragma_index_info(i.name) x
      WHERE i."unique" = 1 AND i.partial = 0`,
    required: `SELECT name AS "name" FROM pragma_table_xinfo(?) WHERE "notnull" = 1 AND dflt_value IS NULL AND hidden = 0 AND pk = 0`,
  },
};

const parametersOf = (dialect: Dialect, dataSource: TableMetadata['dataSource'], question: string): string[] => {
  const { schema, tableName } = dataSource;
  if (dialect === 'postgresql') return [regclassName(dataSource)];
  if (dialect === 'sqlite') return Array.from({ length: question.split('?').length - 1 }, () => tableName);
  return [(schema ?? null) as string, tableName];
};

/** Columns that an event gives a value in a new row. */
const insertedColumns = ({
  dataColumns,
  mapping,
  timestampSpec,
  primaryKeySpecs,
}: TableMetadata): ReadonlySet<string> =>
  new Set([
    ...Object.entries(dataColumns).flatMap(([column, { insertable }]) => (insertable ? [column] : [])),
    ...Object.keys(mapping?.toRow ?? {}),
    ...(timestampSpec === undefined ? [] : [timestampSpec.columnName]),
    ...primaryKeySpecs.map(({ column }) => column),
  ]);

/**
 * Warnings about tables of PostgreSQL, MySQL, MariaDB and SQLite that do not fit their entry: the configured key may have
 * several rows, or a new row lacks a value that the database requires.
 *
 * @returns a sentence for each of them, with its place in the metadata
 * @throws Error when a source does not answer
 */
export const findTableShape = async (
  tables: readonly TableMetadata[],
  opened: ReadonlyMap<string, OpenedDatabase>,
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  for (const [index, table] of tables.entries()) {
    const { dataSource, primaryKeySpecs, scanOptions } = table;
    const source = opened.get(dataSource.name);
    const dialect = source?.database.address.dialect;
    const asked = dialect === undefined ? undefined : questions[dialect];
    if (source === undefined || dialect === undefined || asked === undefined) continue;
    const ask = (question: string): Promise<readonly { readonly key?: string; readonly name: string }[]> =>
      source.knex.select('*').from(source.knex.raw(`(${question}) x`, parametersOf(dialect, dataSource, question)));
    if ((await ask(asked.table)).length === 0) continue;
    const keys = new Map<string, string[]>();
    for (const { key = '', name } of await ask(asked.unique)) keys.set(key, [...(keys.get(key) ?? []), name]);
    const named = primaryKeySpecs.map(({ column }) => column);
    if (![...keys.values()].some((columns) => columns.every((column) => named.includes(column))))
      warnings.push(
        `${pointerOf('tables', index, 'primaryKeySpecs')}: ${dataSource.tableName} has no unique key in ${named.join(', ')}: ` +
          'several rows can have the key of a record. Such rows are a data issue, and none of them is exchanged',
      );
    if (!scanOptions.enableIncoming) continue;
    const inserted = insertedColumns(table);
    const lacking = (await ask(asked.required)).map(({ name }) => name).filter((name) => !inserted.has(name));
    if (lacking.length > 0)
      warnings.push(
        `${pointerOf('tables', index, 'dataColumns')}: ${dataSource.tableName} requires a value in ${lacking.join(', ')}, ` +
          'which has no default, and no event gives one: unless a trigger does, the database refuses each new record',
      );
  }
  return warnings;
};
