import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Knex } from 'knex';
import type { JdbcAddress } from '../configuration/jdbc/jdbc-address.js';
import type { TableMetadata } from '../configuration/table-metadata.js';

/** Distinguishes the source of a table from every other one. */
export interface SourceIdentity {
  /** System identifier of the server, database and table; or device and inode of a file, and table. */
  readonly id: string;
  /** For people: address, database, table and the identifiers. */
  readonly path: string;
}

type Row = Readonly<Record<string, unknown>>;

const oneRow = async (connection: Knex, columns: string, parameters: readonly (string | null)[] = []): Promise<Row> => {
  const row: unknown = await connection.select(connection.raw(columns, parameters as string[])).first();
  // Oracle returns the names in capitals
  return Object.fromEntries(Object.entries(row as Row).map(([name, value]) => [name.toLowerCase(), value]));
};

/** Server and database of a connection, and the schema in which the table is. */
interface Place {
  readonly server: string;
  readonly database: string;
  readonly schema: string;
}

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const placeOf = (row: Row): Place => ({
  server: text(row['source_server']),
  database: text(row['source_database']),
  schema: text(row['source_schema']),
});

const readPostgresql = async (connection: Knex, { schema, tableName }: TableMetadata['dataSource']): Promise<Place> => {
  const place = placeOf(
    await oneRow(
      connection,
      `(SELECT system_identifier::text FROM pg_control_system()) AS source_server,
       (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS source_database,
       coalesce(?::text, (SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relname = ? AND pg_table_is_visible(c.oid))) AS source_schema`,
      [schema ?? null, tableName],
    ),
  );
  if (place.schema === '') throw new Error(`there is no table ${JSON.stringify(tableName)}`);
  return place;
};

/** MariaDB has no identifier of a server that survives a restart, other than its machine, port and directory. */
const readMysql = async (connection: Knex, { schema }: TableMetadata['dataSource']): Promise<Place> => {
  const { version } = await oneRow(connection, 'version() AS version');
  const server = /mariadb/i.test(text(version)) ? `concat_ws(' ', @@hostname, @@port, @@datadir)` : '@@server_uuid';
  return placeOf(
    await oneRow(
      connection,
      `${server} AS source_server, coalesce(?, database()) AS source_database, '' AS source_schema`,
      [schema ?? null],
    ),
  );
};

/** The GUID belongs to the database and stays the same after a fail-over to another server. */
const readMssql = async (connection: Knex, { schema }: TableMetadata['dataSource']): Promise<Place> =>
  placeOf(
    await oneRow(
      connection,
      `(SELECT convert(varchar(36), service_broker_guid) FROM sys.databases WHERE database_id = db_id()) AS source_server,
       db_name() AS source_database, coalesce(?, schema_name()) AS source_schema`,
      [schema ?? null],
    ),
  );

/** A user without further rights sees the names of the database, not its number. */
const readOracle = async (connection: Knex, { schema }: TableMetadata['dataSource']): Promise<Place> =>
  placeOf(
    await oneRow(
      connection,
      `sys_context('USERENV', 'DB_NAME') || '.' || sys_context('USERENV', 'DB_DOMAIN') AS source_server,
       sys_context('USERENV', 'CON_NAME') AS source_database,
       coalesce(?, sys_context('USERENV', 'CURRENT_SCHEMA')) AS source_schema`,
      [schema ?? null],
    ),
  );

const readers = { postgresql: readPostgresql, mysql: readMysql, mssql: readMssql, oracle: readOracle };

/**
 * Reads the identity of a table's source.
 *
 * @throws Error when the source does not answer, or the file does not exist
 */
export const readSourceIdentity = async (
  connection: Knex,
  address: JdbcAddress,
  { dataSource }: TableMetadata,
): Promise<SourceIdentity> => {
  const { schema, tableName } = dataSource;
  if (address.dialect === 'sqlite') {
    const file = resolve(address.file);
    const { dev, ino } = statSync(file, { bigint: true });
    return {
      id: JSON.stringify(['sqlite', String(dev), String(ino), tableName]),
      path: `${file} (device ${dev}, inode ${ino}), table ${tableName}`,
    };
  }
  const { server, database, schema: present } = await readers[address.dialect](connection, dataSource);
  const table = schema ?? present;
  return {
    id: JSON.stringify([address.dialect, server, database, table, tableName]),
    path: `${address.host}:${address.port}/${address.database} (server ${server}, database ${database}), table ${table === '' ? '' : `${table}.`}${tableName}`,
  };
};
