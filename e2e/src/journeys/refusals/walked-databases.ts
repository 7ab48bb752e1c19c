import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startMariadb } from '@fds/testing';
import Database from 'libsql';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { createCustomerDatabase } from '../../harness/customer-database.js';
import type { Leftovers } from '../../harness/leftovers.js';

export type DatabaseName = 'PostgreSQL' | 'MariaDB' | 'SQLite';

/** The content of a row, by column. */
export type WalkedRow = Readonly<Record<'id' | 'v' | 'n', unknown>>;

/** A connection of a program that keeps its locks. */
interface Holder {
  run(sql: string): Promise<void>;
  end(): Promise<void>;
}

/** A customer's database. Its administrator may do everything, and the adaptor has the rights that it was granted. */
export interface WalkedDatabase {
  readonly name: DatabaseName;
  /** Members of `databases.source.properties` of the adaptor. */
  readonly properties: Readonly<Record<string, string>>;
  readonly schema?: string;
  /** The adaptor's user, as it stands in GRANT. */
  readonly account: string;
  /** Statements of the administrator, one after another. */
  run(...statements: readonly string[]): Promise<void>;
  /** The row with exactly this id; undefined: no such row. */
  row(table: string, id: string): Promise<WalkedRow | undefined>;
  hold(): Promise<Holder>;
}

const password = 'password-of-the-adaptor';

/** A row with exactly this id, because a column may have a coarser equality. A number that a driver gives as text is a number. */
const rowOf = (raw: Record<string, unknown> | undefined, id: string): WalkedRow | undefined =>
  raw?.['id'] !== id
    ? undefined
    : { id: raw['id'], v: raw['v'] ?? null, n: raw['n'] === null || raw['n'] === undefined ? null : Number(raw['n']) };

export const openWalkedPostgresql = async (leftovers: Leftovers): Promise<WalkedDatabase> => {
  const customer = await createCustomerDatabase();
  leftovers.add(() => customer.drop());
  const account = `fds_walk_${randomUUID().replaceAll('-', '')}`;
  const pool = new pg.Pool({ connectionString: customer.url, max: 4 });
  const run = async (...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await pool.query(sql);
  };
  leftovers.add(async () => {
    await run(`DROP OWNED BY ${account}`, `DROP ROLE ${account}`);
    await pool.end();
  });
  await run(`CREATE ROLE ${account} LOGIN PASSWORD '${password}'`);
  const { host, pathname } = new URL(customer.url);
  return {
    name: 'PostgreSQL',
    properties: {
      jdbcUrl: `jdbc:postgresql://${host}${pathname}`,
      'dataSource.user': account,
      'dataSource.password': password,
      maximumPoolSize: '4',
    },
    schema: 'public',
    account,
    run,
    row: async (table, id) => {
      const { rows } = await pool.query<Record<string, unknown>>(`SELECT id, v, n FROM ${table} WHERE id = $1`, [id]);
      return rowOf(rows[0], id);
    },
    hold: async () => {
      const client = await pool.connect();
      return { run: async (sql) => void (await client.query(sql)), end: async () => client.release(true) };
    },
  };
};

export const openWalkedMariadb = async (leftovers: Leftovers): Promise<WalkedDatabase> => {
  const mariadb = await startMariadb();
  leftovers.add(() => mariadb.dispose());
  const { port, user } = mariadb;
  const pool = createPool({ host: '127.0.0.1', port, user, password: mariadb.password, connectionLimit: 4 });
  leftovers.add(() => pool.end());
  await pool.query('CREATE DATABASE walk CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
  const account = `'fds_adaptor'@'%'`;
  await pool.query(`CREATE USER ${account} IDENTIFIED BY '${password}'`);
  const connect = async () => {
    const connection = await pool.getConnection();
    await connection.query('USE walk');
    return connection;
  };
  const run = async (...statements: readonly string[]): Promise<void> => {
    const connection = await connect();
    try {
      for (const sql of statements) await connection.query(sql);
    } finally {
      connection.release();
    }
  };
  return {
    name: 'MariaDB',
    properties: {
      jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/walk`,
      'dataSource.user': 'fds_adaptor',
      'dataSource.password': password,
      maximumPoolSize: '4',
    },
    account,
    run,
    row: async (table, id) => {
      const [rows] = await pool.query(`SELECT id, v, n FROM walk.${table} WHERE id = ?`, [id]);
      return rowOf((rows as Record<string, unknown>[])[0], id);
    },
    hold: async () => {
      const connection = await connect();
      return { run: async (sql) => void (await connection.query(sql)), end: async () => connection.destroy() };
    },
  };
};

export const openWalkedSqlite = (leftovers: Leftovers): WalkedDatabase => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-walk-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'walk.sqlite');
  const open = (): Database.Database => {
    const database = new Database(file);
    leftovers.add(() => void database.close());
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 20; PRAGMA foreign_keys = ON');
    return database;
  };
  const database = open();
  // the adaptor may hold the lock of the file
  const until = (work: () => void): Promise<void> => eventually(work, { intervalMs: 10 });
  return {
    name: 'SQLite',
    properties: { jdbcUrl: `jdbc:sqlite:${file}` },
    account: '',
    run: async (...statements) => {
      for (const sql of statements) await until(() => void database.exec(sql));
    },
    row: async (table, id) =>
      rowOf(
        database.prepare(`SELECT id, v, n FROM ${table} WHERE id = ?`).get(id) as Record<string, unknown> | undefined,
        id,
      ),
    hold: async () => {
      const holder = open();
      return { run: (sql) => until(() => void holder.exec(sql)), end: async () => undefined };
    },
  };
};
