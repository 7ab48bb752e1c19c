import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { JdbcDatabase } from '../configuration/adaptor-metadata.js';
import { wrapIdentifier } from './identifier.js';
import { LibsqlClient } from './libsql-client.js';

const booleanType = 16;
const floats = [700, 701];

/** Everything as text, so that no digit of a number and no microsecond of a time is lost, but booleans and floats. */
const textTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === booleanType || floats.includes(oid)
      ? pg.types.getTypeParser(oid)
      : (text: string) => text) as pg.CustomTypesConfig['getTypeParser'],
};

/** Failures are thrown, and logged by those who catch them: knex writes nothing to the console. */
const silent: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
};

const openPostgresql = ({ address, user, password, maxConnections }: JdbcDatabase): Knex => {
  if (address.dialect !== 'postgresql') throw new Error('not PostgreSQL');
  return knex({
    client: 'pg',
    log: silent,
    wrapIdentifier,
    compileSqlOnError: false, // errors are logged and reported: they name the statement, not its values
    searchPath: address.schema === undefined ? undefined : address.schema.split(','),
    pool: { min: 0, max: maxConnections },
    acquireConnectionTimeout: 10_000,
    connection: {
      host: address.host,
      port: address.port,
      database: address.database,
      user: user ?? address.user,
      password: password ?? address.password,
      ssl: address.tls === 'off' ? false : { rejectUnauthorized: address.tls === 'verify' },
      options: '-c TimeZone=UTC -c DateStyle=ISO',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'fds-database-adaptor',
      types: textTypes,
    } as Knex.PgConnectionConfig,
  });
};

const openSqlite = ({ address }: JdbcDatabase): Knex => {
  if (address.dialect !== 'sqlite') throw new Error('not SQLite');
  return knex({
    client: LibsqlClient,
    log: silent,
    wrapIdentifier,
    compileSqlOnError: false,
    useNullAsDefault: true,
    // one writer: SQLite locks the file
    pool: {
      min: 0,
      max: 1,
      afterCreate: (
        connection: { exec(sql: string): void; defaultSafeIntegers(on: boolean): void },
        done: (error?: Error) => void,
      ) => {
        connection.defaultSafeIntegers(true);
        connection.exec('PRAGMA busy_timeout = 5000');
        done();
      },
    },
    connection: { filename: address.file },
  });
};

/** Opens the database of a table. Connects at first use; whoever opens, destroys. */
export const openKnex = (database: JdbcDatabase): Knex =>
  database.address.dialect === 'postgresql' ? openPostgresql(database) : openSqlite(database);
