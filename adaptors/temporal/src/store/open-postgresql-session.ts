import pg from 'pg';
import type { PostgresqlStore } from '../configuration/temporal-metadata.js';
import type { SqlRow, SqlSession } from './sql-session.js';

const numbered = (sql: string): string => {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
};

const int8 = 20;

/** 64-bit integers as numbers: they are counts and epoch milliseconds. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === int8 ? Number : pg.types.getTypeParser(oid)) as pg.CustomTypesConfig['getTypeParser'],
};

/** Opens a pool of connections. They connect at the first statement. */
export const openPostgresqlSession = ({
  connectionString,
  user,
  password,
  maxConnections,
}: PostgresqlStore): SqlSession => {
  const pool = new pg.Pool({
    connectionString,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    keepAlive: true,
    application_name: 'fds-temporal-adaptor',
    types,
  });
  // a connection that ends while it is idle is replaced at the next statement
  pool.on('error', () => undefined);
  return {
    run: async (sql, parameters = []) => (await pool.query<SqlRow>(numbered(sql), [...parameters])).rows,
    change: async (sql, parameters = []) => (await pool.query(numbered(sql), [...parameters])).rowCount ?? 0,
    propertyOf: (json) => `(${json})::jsonb -> ?::text`,
    close: () => pool.end(),
  };
};
