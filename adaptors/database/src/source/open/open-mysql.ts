import knex, { type Knex } from 'knex';
import type { JdbcDatabase } from '../../configuration/adaptor-metadata.js';
import type { ServerAddress } from '../../configuration/jdbc/jdbc-address.js';
import { RoundedFloat } from '../float-columns.js';
import { wrapIdentifierOf } from '../identifier.js';
import { connectTimeoutMs, lockTimeoutSeconds, usualConfig } from './silent.js';

interface Field {
  readonly type: string;
  readonly length: number;
  string(): string | null;
  buffer(): Buffer | null;
}

/** Types whose values the driver would round, or take apart. */
const texts = new Set(['JSON', 'NEWDECIMAL', 'LONGLONG']);

/** Returns text for every type whose digits the driver would lose. A bit becomes a number. */
const asText = (field: Field, next: () => unknown): unknown => {
  if (texts.has(field.type)) return field.string();
  if (field.type === 'GEOMETRY') return field.buffer();
  if (field.type === 'DOUBLE' || field.type === 'FLOAT') {
    const text = field.string();
    if (text === null) return null;
    return field.type === 'DOUBLE' ? Number(text) : new RoundedFloat(text);
  }
  if (field.type !== 'BIT' || field.length !== 1) return next();
  const [bit] = field.buffer() ?? [];
  return bit ?? null;
};

interface MysqlConnection {
  query(sql: string, done: (error: Error | null, rows?: unknown) => void): void;
}

/** Times are in UTC, and invalid values are refused instead of truncated. */
const session = `SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION',
  innodb_lock_wait_timeout = ${lockTimeoutSeconds}, lock_wait_timeout = ${lockTimeoutSeconds}`;
/**
 * Locks rows, and no gaps between keys: the search for the row of a new record would lock the gap in which the application
 * inserts. Statements in the binary log need REPEATABLE READ.
 */
const isolation = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
const logsStatements = `SELECT @@log_bin = 1 AND @@binlog_format = 'STATEMENT' AS yes`;

const beginSession = (connection: MysqlConnection, done: (error?: Error | null) => void): void =>
  connection.query(session, (refused) => {
    if (refused !== null) return done(refused);
    connection.query(logsStatements, (error, rows) => {
      // a server without one of the variables writes rows to its log
      const [answer] = error === null ? (rows as readonly { readonly yes: unknown }[]) : [];
      if (Number(answer?.yes) === 1) return done();
      connection.query(isolation, (failure) => done(failure));
    });
  });

/** Address and credentials of the connection. */
export const mysqlConnection = (
  address: ServerAddress,
  { user, password }: Pick<JdbcDatabase, 'user' | 'password'>,
) => {
  const { tls, host, port } = address;
  const [name, secret] = [user ?? address.user, password ?? address.password];
  return {
    host,
    port,
    ...(name === undefined ? {} : { user: name }),
    ...(secret === undefined ? {} : { password: secret }),
    ...(tls === 'off' ? {} : { ssl: { rejectUnauthorized: tls === 'verify' } }),
    connectTimeout: connectTimeoutMs,
  };
};

export const openMysql = (address: ServerAddress, database: JdbcDatabase): Knex =>
  knex({
    ...usualConfig,
    client: 'mysql2',
    wrapIdentifier: wrapIdentifierOf('mysql'),
    pool: {
      min: 0,
      max: database.maxConnections,
      afterCreate: beginSession,
    },
    connection: {
      ...mysqlConnection(address, database),
      database: address.database,
      charset: 'utf8mb4',
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      typeCast: asText,
    } as Knex.MySql2ConnectionConfig,
  });
