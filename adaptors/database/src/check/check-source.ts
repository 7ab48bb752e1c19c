import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Knex } from 'knex';
import type { JdbcDatabase } from '../configuration/adaptor-metadata.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { toIdentifier } from '../source/identifier.js';
import { connectionFault, reasonOf } from '../source/connection-fault.js';
import { pointerOf, type ConfigurationFault } from '../configuration/fault.js';
import { readsOf } from '../source/mapping/table-mapping.js';
import { nearestTo } from '@fds/adaptor-sdk';
import { openSourceCatalog, type SourceCatalog } from './source-catalog.js';

/** A database and the tables that the adaptor reads from it, each with its index in the metadata. */
export interface CheckedSource {
  readonly name: string;
  readonly database: JdbcDatabase;
  readonly connection: Knex;
  readonly tables: readonly { readonly index: number; readonly table: TableMetadata }[];
}

/** Reports a missing file: SQLite would otherwise create an empty one. */
const checkFile = (name: string, { address }: JdbcDatabase): ConfigurationFault | undefined => {
  if (address.dialect !== 'sqlite' || existsSync(address.file)) return undefined;
  const folder = dirname(address.file);
  const near = existsSync(folder) ? nearestTo(basename(address.file), readdirSync(folder)) : '';
  const place = pointerOf('databases', name, 'properties', 'jdbcUrl');
  return { place, message: `there is no file ${join(folder, basename(address.file))}${near}`, retry: 'SOON' };
};

/** Columns that the metadata names, each with its place in the table entry. */
const namedColumns = (
  table: TableMetadata,
): readonly { readonly column: string; readonly path: readonly (string | number)[] }[] => {
  const { dataColumns, timestampSpec, primaryKeySpecs } = table;
  const { toRecord, toRow, filter } = readsOf(table);
  return [
    ...primaryKeySpecs.map(({ column }, at) => ({ column, path: ['primaryKeySpecs', at, column] })),
    ...(timestampSpec === undefined
      ? []
      : [{ column: timestampSpec.columnName, path: ['timestampSpec', 'columnName'] }]),
    ...Object.keys(dataColumns).map((column) => ({ column, path: ['dataColumns', column] })),
    ...[...(filter?.roots ?? [])].map((column) => ({ column, path: ['rowFilter'] })),
    ...[...toRecord].flatMap(([property, { roots }]) =>
      [...roots].map((column) => ({ column, path: ['mapping', 'toRecord', property] })),
    ),
    ...[...toRow.keys()].map((column) => ({ column, path: ['mapping', 'toRow', column] })),
  ];
};

/** The tables and columns of lookups. */
const checkLookups = async (
  catalog: SourceCatalog,
  index: number,
  { mapping, dataSource }: TableMetadata,
): Promise<readonly ConfigurationFault[]> => {
  const faults: ConfigurationFault[] = [];
  for (const [name, { schema = dataSource.schema, table, key, columns }] of Object.entries(mapping?.lookups ?? {})) {
    const path = ['tables', index, 'mapping', 'lookups', name];
    const existing = await catalog.columns(schema, table);
    if (existing.length === 0) {
      const near = nearestTo(table, await catalog.tables(schema));
      const message = `there is no table ${JSON.stringify(table)}${near}`;
      faults.push({ place: pointerOf(...path, 'table'), message, retry: 'RARELY' });
      continue;
    }
    const named = [[key, 'key'] as const, ...columns.map((column, at) => [column, 'columns', at] as const)];
    for (const [column, ...at] of named)
      if (!existing.includes(column))
        faults.push({
          place: pointerOf(...path, ...at),
          message: `${table} has no column ${JSON.stringify(column)}${nearestTo(column, existing)}`,
          retry: 'RARELY',
        });
  }
  return faults;
};

const missingTable = async (
  catalog: SourceCatalog,
  index: number,
  { dataSource: { schema, tableName } }: TableMetadata,
): Promise<ConfigurationFault> => {
  const schemas = schema === undefined ? [] : await catalog.schemas();
  if (schema !== undefined && !schemas.includes(schema)) {
    const message = `there is no schema ${JSON.stringify(schema)}${nearestTo(schema, schemas)}`;
    return { place: pointerOf('tables', index, 'dataSource', 'schema'), message, retry: 'RARELY' };
  }
  const near = nearestTo(tableName, await catalog.tables(schema));
  const message = `there is no table ${JSON.stringify(tableName)}${near}`;
  return { place: pointerOf('tables', index, 'dataSource', 'tableName'), message, retry: 'RARELY' };
};

const checkTable = async (
  { connection }: CheckedSource,
  catalog: SourceCatalog,
  { index, table }: CheckedSource['tables'][number],
): Promise<readonly ConfigurationFault[]> => {
  const { schema, tableName } = table.dataSource;
  const existing = await catalog.columns(schema, tableName);
  if (existing.length === 0) return [await missingTable(catalog, index, table)];
  const named = namedColumns(table);
  const missing = named.filter(({ column }) => !existing.includes(column));
  if (missing.length > 0) {
    return missing.map(({ column, path }) => ({
      place: pointerOf('tables', index, ...path),
      message: `${tableName} has no column ${JSON.stringify(column)}${nearestTo(column, existing)}`,
      retry: 'RARELY',
    }));
  }
  try {
    const columns = [...new Set(named.map(({ column }) => column))].map(toIdentifier);
    const rows = connection.select(...columns).whereRaw('1 = 0');
    await (schema === undefined ? rows : rows.withSchema(toIdentifier(schema))).from(toIdentifier(tableName));
    return await checkLookups(catalog, index, table);
  } catch (error) {
    const message = `the table cannot be read: ${reasonOf(error)}`;
    return [{ place: pointerOf('tables', index, 'dataSource'), message, retry: 'RARELY' }];
  }
};

/** Connects to a database and checks that the tables and columns of the metadata exist. Reads no row. */
export const checkSource = async (source: CheckedSource): Promise<readonly ConfigurationFault[]> => {
  const { name, database, connection, tables } = source;
  const missingFile = checkFile(name, database);
  if (missingFile !== undefined) return [missingFile];
  const catalog = openSourceCatalog(connection, database.address.dialect);
  try {
    const faults: ConfigurationFault[] = [];
    for (const table of tables) faults.push(...(await checkTable(source, catalog, table)));
    return faults;
  } catch (error) {
    return [connectionFault(name, database, error)];
  }
};
