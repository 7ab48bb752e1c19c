import pg from 'pg';
import type { PostgresqlStore } from '../configuration/temporal-metadata.js';
import type { SqlRow, SqlSession } from './sql-session.js';

const numbered = (sql: string): string => {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
};

const int8 = 20;

/** Reads 64-bit integers as numbers: they are counts and epoch milliseconds. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === int8 ? Number : pg.types.getTypeParser(oid)) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * The URL with the credentials of the metadata. When a URL is given, `pg` ignores other credentials, even if the URL
 * has none.
 */
const withCredentials = ({ connectionString, user, password }: PostgresqlStore): string => {
  const url = new URL(connectionString);
  if (user !== undefined) {
    url.searchParams.delete('user');
    url.username = encodeURIComponent(user);
  }
  if (password !== undefined) {
    url.searchParams.delete('password');
    url.password = encodeURIComponent(password);
  }
  return url.href;
};

/** Opens a pool of connections. A connection is opened when a statement first needs it. */
export const openPostgresqlSession = (store: PostgresqlStore): SqlSession => {
  const pool = new pg.Pool({
    connectionString: withCredentials(store),
    max: store.maxConnections,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    keepAlive: true,
    application_name: 'fds-temporal-adaptor',
    types,
  });
  // the next statement replaces a connection that ended while it was idle
  pool.on('error', () => undefined);
  return {
    run: async (sql, parameters = []) => (await pool.query<SqlRow>(numbered(sql), [...parameters])).rows,
    change: async (sql, parameters = []) => (await pool.query(numbered(sql), [...parameters])).rowCount ?? 0,
    propertyOf: (json) => `(${json})::jsonb -> ?::text`,
    close: () => pool.end(),
  };
};
