import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { JdbcDatabase } from '../../configuration/adaptor-metadata.js';
import type { ServerAddress } from '../../configuration/jdbc/jdbc-address.js';
import { wrapIdentifierOf } from '../identifier.js';
import { connectTimeoutMs, lockTimeoutSeconds, usualConfig } from './silent.js';

const booleanType = 16;
const floats = [700, 701];

/**
 * Returns every type as text except booleans and floats, so that no digit of a number and no microsecond of a time is
 * lost.
 */
const textTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === booleanType || floats.includes(oid)
      ? pg.types.getTypeParser(oid)
      : (text: string) => text) as pg.CustomTypesConfig['getTypeParser'],
};

/** Options of the connection. Values are texts, and times are in UTC. */
export const postgresqlConnection = (
  address: ServerAddress,
  { user, password }: Pick<JdbcDatabase, 'user' | 'password'>,
): pg.ClientConfig => ({
  host: address.host,
  port: address.port,
  database: address.database,
  user: user ?? address.user,
  password: password ?? address.password,
  ssl: address.tls === 'off' ? false : { rejectUnauthorized: address.tls === 'verify' },
  options: '-c TimeZone=UTC -c DateStyle=ISO -c extra_float_digits=1',
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  application_name: 'fds-database-adaptor',
  types: textTypes,
});

export const openPostgresql = (address: ServerAddress, database: JdbcDatabase): Knex => {
  const connection = postgresqlConnection(address, database);
  return knex({
    ...usualConfig,
    client: 'pg',
    wrapIdentifier: wrapIdentifierOf('postgresql'),
    // the query builder writes each name between apostrophes
    searchPath: address.schema?.split(',').map((name) => name.replaceAll("'", "''")),
    pool: { min: 0, max: database.maxConnections },
    connection: {
      ...connection,
      options: `${connection.options} -c lock_timeout=${lockTimeoutSeconds}s`,
    } as Knex.PgConnectionConfig,
  });
};
