import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startMariadb } from '@fds/testing';
import Database from 'libsql';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { createCustomerDatabase } from '../../harness/customer-database.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { type ChinookDatabase, createChinookDatabase } from './chinook-database.js';
import { chinookFile } from './chinook-file.js';
import { chinookTables, createTableSql, modificationColumn } from './chinook-tables.js';
import type { Row } from './comparable-row.js';

/** A copy of Chinook in SQLite, with its rows. */
export const openSqlite = (leftovers: Leftovers): ChinookDatabase => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-chinook-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'chinook.sqlite');
  copyFileSync(chinookFile, file);
  const database = new Database(file);
  leftovers.add(() => void database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000');
  for (const { table } of chinookTables) {
    database.exec(
      `ALTER TABLE "${table}" ADD COLUMN "${modificationColumn}" TEXT NOT NULL DEFAULT '2026-01-01 00:00:00.000'`,
    );
  }
  /** Takes the lock by `exec`: libsql does not reset a prepared statement that is refused. */
  const write = async (sql: string, values: readonly (string | number)[]): Promise<void> => {
    // an adaptor that was killed in a transaction leaves a lock, which the next process removes
    await eventually(() => database.exec('BEGIN IMMEDIATE'), { deadlineMs: 60_000 });
    database.prepare(sql).run(...values);
    database.exec('COMMIT');
  };
  return createChinookDatabase('SQLITE', { jdbcUrl: `jdbc:sqlite:${file}` }, async (sql, values) => {
    if (sql.startsWith('SELECT')) return database.prepare(sql).all(...values) as Row[];
    await write(sql, values);
    return [];
  });
};

/** Empty tables in PostgreSQL, which an adaptor reads from the log. */
export const openPostgresql = async (leftovers: Leftovers): Promise<ChinookDatabase> => {
  const customer = await createCustomerDatabase();
  leftovers.add(() => customer.drop());
  const client = new pg.Client({ connectionString: customer.url });
  await client.connect();
  leftovers.add(() => client.end());
  for (const table of chinookTables) await client.query(createTableSql(table));
  const { host, pathname, username, password } = new URL(customer.url);
  const entry = {
    jdbcUrl: `jdbc:postgresql://${host}${pathname}`,
    user: username,
    password: decodeURIComponent(password),
    schema: 'public',
    scanMethod: 'LOG',
  } as const;
  return createChinookDatabase('POSTGRESQL', entry, async (sql, values) => {
    const { rows } = await client.query<Row>(sql, [...values]);
    return rows;
  });
};

/** Empty tables in MariaDB. */
export const openMariadb = async (leftovers: Leftovers): Promise<ChinookDatabase> => {
  const mariadb = await startMariadb();
  leftovers.add(() => mariadb.dispose());
  const { user, password, port } = mariadb;
  const connection = await createConnection({ host: '127.0.0.1', port, user, password, dateStrings: true });
  leftovers.add(() => connection.end());
  await connection.query('CREATE DATABASE chinook CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
  await connection.query('USE chinook');
  for (const table of chinookTables) await connection.query(createTableSql(table, 'MARIADB'));
  const entry = { jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/chinook`, user, password, scanMethod: 'LOG' } as const;
  return createChinookDatabase('MARIADB', entry, async (sql, values) => {
    const [rows] = await connection.query(sql, [...values]);
    return Array.isArray(rows) ? (rows as Row[]) : [];
  });
};
