import type { Knex } from 'knex';
import type { TableMetadata } from '../configuration/table-metadata.js';

/** Selections of a column of SQL Server as text, by its type. The driver would return a rounded number. */
const selections: Readonly<Record<string, string>> = {
  decimal: 'convert(varchar(50), ??) as ??',
  numeric: 'convert(varchar(50), ??) as ??',
  money: 'convert(varchar(50), convert(decimal(19, 4), ??)) as ??',
  smallmoney: 'convert(varchar(50), convert(decimal(19, 4), ??)) as ??',
};

/** Columns whose values need another selection or spelling than the others. */
export interface MssqlNumbers {
  /** Selections by column. */
  readonly texts: ReadonlyMap<string, string>;
  /** Columns of type `real`. */
  readonly floats: readonly string[];
}

/** Reads the types of a table's columns. */
export const loadMssqlNumbers = async (
  connection: Knex,
  { schema, tableName }: TableMetadata['dataSource'],
): Promise<MssqlNumbers> => {
  const columns: { name: string; type: string }[] = await connection.select('name', 'type').from(
    connection.raw(
      `(SELECT COLUMN_NAME AS [name], DATA_TYPE AS [type] FROM INFORMATION_SCHEMA.COLUMNS
          WHERE TABLE_SCHEMA = coalesce(?, schema_name()) AND TABLE_NAME = ?) x`,
      [schema ?? null, tableName] as string[],
    ),
  );
  return {
    texts: new Map(
      columns.flatMap(({ name, type }) => {
        const selection = selections[type];
        return selection === undefined ? [] : [[name, selection] as const];
      }),
    ),
    floats: columns.filter(({ type }) => type === 'real').map(({ name }) => name),
  };
};
