import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startMariadb } from '@fds/testing';
import Database from 'libsql';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { createCustomerDatabase } from '../../harness/customer-database.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { openSmallFolder } from '../../harness/small-folder.js';

export type DatabaseName = 'PostgreSQL' | 'MariaDB' | 'SQLite';

/** The content of a row, by column. */
export type WalkedRow = Readonly<Record<'id' | 'v' | 'n', unknown>>;

/** A connection of a program that keeps its locks. */
interface Holder {
  run(sql: string): Promise<void>;
  end(): Promise<void>;
}

/** A cause because of which the database takes no write. */
interface Outage {
  readonly name: string;
  /** @returns ends it */
  begin(): Promise<() => Promise<void>>;
  /** Text of the log of the adaptor. */
  readonly says: RegExp;
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
  /** Causes that concern the whole database. */
  readonly outages: readonly Outage[];
  /** A tablespace of PostgreSQL on a small disk; undefined: the server has no such disk. */
  readonly small?: { readonly name: string; readonly fill: () => () => void } | undefined;
}

const password = 'password-of-the-adaptor';

/** A row with exactly this id, because a column may have a coarser equality. A number that a driver gives as text is a number. */
const rowOf = (raw: Record<string, unknown> | undefined, id: string): WalkedRow | undefined =>
  raw?.['id'] !== id
    ? undefined
    : { id: raw['id'], v: raw['v'] ?? null, n: raw['n'] === null || raw['n'] === undefined ? null : Number(raw['n']) };

/** A tablespace on a disk that a test can fill. */
const openSmallTablespace = async (
  leftovers: Leftovers,
  pool: pg.Pool,
  account: string,
): Promise<WalkedDatabase['small']> => {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = statSync(`/proc/${rows[0]?.pid}`, { throwIfNoEntry: false });
  // the server runs on another machine, or on a system without this folder
  if (server === undefined) return undefined;
  const { folder, fill } = openSmallFolder(leftovers, 'fds-small-', 1, server.uid);
  if (fill === undefined) return undefined;
  const name = `small_${account}`;
  await pool.query(`CREATE TABLESPACE ${name} LOCATION '${folder}'`);
  return { name, fill };
};

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
    if (small !== undefined) await run('DROP TABLE IF EXISTS full_disk', `DROP TABLESPACE ${small.name}`);
    await pool.end();
  });
  await run(`CREATE ROLE ${account} LOGIN PASSWORD '${password}'`);
  const small = await openSmallTablespace(leftovers, pool, account);
  const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${account}'`;
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
    small,
    outages: [
      {
        name: 'connections that take no writes, as after a failover',
        begin: async () => {
          await run(`ALTER ROLE ${account} SET default_transaction_read_only = on`, endConnections);
          // open connections keep the setting
          return () => run(`ALTER ROLE ${account} RESET default_transaction_read_only`);
        },
        says: /read-only transaction/,
      },
      {
        name: 'connections that the server ends',
        begin: async () => {
          await run(`ALTER ROLE ${account} NOLOGIN`, endConnections);
          return () => run(`ALTER ROLE ${account} LOGIN`);
        },
        says: /not permitted to log in|Connection terminated|terminating connection/,
      },
    ],
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
    outages: [
      {
        name: 'a server that is read-only',
        begin: async () => {
          await run('SET GLOBAL read_only = 1');
          return () => run('SET GLOBAL read_only = 0');
        },
        says: /read-only/,
      },
      {
        name: 'connections that the server ends',
        begin: async () => {
          await run(`ALTER USER ${account} ACCOUNT LOCK`, `KILL USER fds_adaptor`);
          return () => run(`ALTER USER ${account} ACCOUNT UNLOCK`);
        },
        says: /locked|Connection lost|closed/i,
      },
    ],
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
  const { folder, fill } = openSmallFolder(leftovers, 'fds-walk-', 64);
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
    outages:
      fill === undefined
        ? []
        : [
            {
              name: 'a full disk',
              begin: async () => {
                const end = fill();
                return async () => end();
              },
              says: /full|disk/,
            },
          ],
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
