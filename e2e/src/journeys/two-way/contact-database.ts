import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startMariadb, type Mariadb } from '@fds/testing';
import Database from 'libsql';
import { createPool, type Pool } from 'mysql2/promise';
import pg from 'pg';
import { createCustomerDatabase } from '../../harness/customer-database.js';
import type { Leftovers } from '../../harness/leftovers.js';
import type { DatabaseKind } from '../databases/chinook-database.js';
import type { DatabaseEntry } from '../databases/chinook-tables.js';

/** The properties of a contact that users edit. They are the columns of the table, too. */
export const contactProperties = ['a', 'b', 'c', 'n'] as const;
export type ContactProperty = (typeof contactProperties)[number];

/** The edited values of a row, as texts. */
export type Contact = Readonly<Record<ContactProperty, string | null>>;
export type ContactChange = Readonly<Partial<Record<ContactProperty, string>>>;

/** A kind of database, and how its adaptor reads it. */
export interface DatabaseChoice {
  readonly kind: DatabaseKind;
  readonly scanMethod: 'LOG' | 'TIMESTAMP';
}

/** A customer's database with the table `contact`. Its methods act like programs of the customer: one transaction each. */
export interface ContactDatabase extends DatabaseChoice {
  readonly entry: DatabaseEntry;
  contacts(): Promise<ReadonlyMap<number, Contact>>;
  /** @returns the row as it was before; undefined: there is no such row */
  update(id: number, values: ContactChange): Promise<Contact | undefined>;
  /** @returns false when there is a row already */
  insert(id: number, values: ContactChange): Promise<boolean>;
  /** @returns the row as it was before; undefined: no such row */
  delete(id: number): Promise<Contact | undefined>;
  /** Any statements, in one transaction. */
  execute(...statements: readonly string[]): Promise<void>;
}

type Row = Readonly<Record<string, string | number | bigint | null | undefined>>;
type Run = (sql: string, values?: readonly (string | number)[]) => Promise<readonly Row[]>;

interface Dialect {
  parameter(index: number): string;
  /** The database's own clock, in UTC. */
  readonly clock: string;
  readonly forUpdate: string;
}

const dialects: Readonly<Record<DatabaseKind, Dialect>> = {
  SQLITE: { parameter: () => '?', clock: `strftime('%Y-%m-%d %H:%M:%f', 'now')`, forUpdate: '' },
  POSTGRESQL: { parameter: (index) => `$${index}`, clock: 'clock_timestamp()', forUpdate: ' FOR UPDATE' },
  MARIADB: { parameter: () => '?', clock: 'utc_timestamp(6)', forUpdate: ' FOR UPDATE' },
};

const changedTypes: Readonly<Record<DatabaseKind, string>> = {
  SQLITE: 'TEXT NOT NULL',
  POSTGRESQL: 'timestamptz NOT NULL DEFAULT clock_timestamp()',
  MARIADB: 'datetime(6) NOT NULL DEFAULT utc_timestamp(6)',
};

/** DDL of the table. */
export const contactTableSql = (kind: DatabaseKind): string =>
  `CREATE TABLE contact (id bigint PRIMARY KEY, a text, b text, c text, n bigint, changed ${changedTypes[kind]})`;

const textOf = (value: Row[string]): string | null => (value === null || value === undefined ? null : String(value));
const contactOf = (row: Row): Contact => ({
  a: textOf(row['a']),
  b: textOf(row['b']),
  c: textOf(row['c']),
  n: textOf(row['n']),
});

/** Does the work in one transaction of the customer's program. */
type Transact = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

export const createContactDatabase = (
  choice: DatabaseChoice,
  entry: DatabaseEntry,
  transact: Transact,
): ContactDatabase => {
  const { parameter, clock, forUpdate } = dialects[choice.kind];
  const find = async (run: Run, id: number): Promise<Contact | undefined> => {
    const [row] = await run(`SELECT * FROM contact WHERE id = ${parameter(1)}${forUpdate}`, [id]);
    return row === undefined ? undefined : contactOf(row);
  };
  return {
    ...choice,
    entry,
    contacts: () =>
      transact(async (run) => {
        const rows = await run('SELECT * FROM contact');
        return new Map(rows.map((row) => [Number(row['id']), contactOf(row)]));
      }),
    update: (id, values) =>
      transact(async (run) => {
        const before = await find(run, id);
        const names = Object.keys(values);
        const assignments = names.map((name, index) => `${name} = ${parameter(index + 1)}`);
        const where = `id = ${parameter(names.length + 1)}`;
        if (before !== undefined)
          await run(`UPDATE contact SET ${assignments.join(', ')}, changed = ${clock} WHERE ${where}`, [
            ...Object.values(values),
            id,
          ]);
        return before;
      }),
    insert: (id, values) =>
      transact(async (run) => {
        if ((await find(run, id)) !== undefined) return false;
        const names = ['id', ...Object.keys(values)];
        const parameters = names.map((_, index) => parameter(index + 1));
        await run(`INSERT INTO contact (${names.join(', ')}, changed) VALUES (${parameters.join(', ')}, ${clock})`, [
          id,
          ...Object.values(values),
        ]);
        return true;
      }),
    delete: (id) =>
      transact(async (run) => {
        const before = await find(run, id);
        if (before !== undefined) await run(`DELETE FROM contact WHERE id = ${parameter(1)}`, [id]);
        return before;
      }),
    execute: (...statements) =>
      transact(async (run) => {
        for (const sql of statements) await run(sql);
      }),
  };
};

/** Transactions of one connection, one after another. A failed statement undoes its transaction. */
export const transactSqlite = (database: Database.Database): Transact => {
  const run: Run = async (sql, values = []) => {
    const statement = database.prepare(sql);
    if (sql.startsWith('SELECT')) return statement.all(...values) as Row[];
    statement.run(...values);
    return [];
  };
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(async () => {
      // by `exec`: libsql does not reset a prepared statement that is refused
      await eventually(() => void database.exec('BEGIN IMMEDIATE'), { deadlineMs: 60_000, intervalMs: 5 });
      try {
        const result = await work(run);
        database.exec('COMMIT');
        return result;
      } catch (cause) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw cause;
      }
    });
    last = turn.catch(() => undefined);
    return turn;
  };
};

const isDeadlock = (cause: unknown): boolean => {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === 'ER_LOCK_DEADLOCK' || code === '40P01';
};

/** Tries a transaction again that the database ended for the sake of another one, as programs have to. */
const againAfterDeadlock =
  (transact: Transact): Transact =>
  async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transact(work);
      } catch (cause) {
        if (attempt === 10 || !isDeadlock(cause)) throw cause;
      }
    }
  };

export const transactPostgresql = (pool: pg.Pool): Transact =>
  againAfterDeadlock(async (work) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(async (sql, values = []) => (await client.query<Row>(sql, [...values])).rows);
      await client.query('COMMIT');
      return result;
    } catch (cause) {
      failure = cause as Error;
      throw cause;
    } finally {
      client.release(failure);
    }
  });

/** @param name of the database */
export const transactMariadb = (pool: Pool, name: string): Transact =>
  againAfterDeadlock(async (work) => {
    const connection = await pool.getConnection();
    try {
      await connection.query(`USE ${name}`);
      await connection.beginTransaction();
      const result = await work(async (sql, values = []) => {
        const [rows] = await connection.query(sql, [...values]);
        return Array.isArray(rows) ? (rows as Row[]) : [];
      });
      await connection.commit();
      connection.release();
      return result;
    } catch (cause) {
      connection.destroy();
      throw cause;
    }
  });

const openSqlite = (leftovers: Leftovers, choice: DatabaseChoice): ContactDatabase => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-two-way-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'contact.sqlite');
  const database = new Database(file);
  leftovers.add(() => void database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 20');
  database.exec(contactTableSql('SQLITE'));
  return createContactDatabase(choice, { jdbcUrl: `jdbc:sqlite:${file}` }, transactSqlite(database));
};

const openPostgresql = async (leftovers: Leftovers, choice: DatabaseChoice): Promise<ContactDatabase> => {
  const customer = await createCustomerDatabase();
  leftovers.add(() => customer.drop());
  const pool = new pg.Pool({ connectionString: customer.url, max: 4 });
  leftovers.add(() => pool.end());
  await pool.query(contactTableSql('POSTGRESQL'));
  const { host, pathname, username, password } = new URL(customer.url);
  const entry = {
    jdbcUrl: `jdbc:postgresql://${host}${pathname}`,
    user: username,
    password: decodeURIComponent(password),
    schema: 'public',
  } as const;
  return createContactDatabase(choice, entry, transactPostgresql(pool));
};

const openMariadb = async (
  leftovers: Leftovers,
  choice: DatabaseChoice,
  { port, user, password }: Mariadb,
  name: string,
): Promise<ContactDatabase> => {
  const pool = createPool({ host: '127.0.0.1', port, user, password, connectionLimit: 4 });
  leftovers.add(() => pool.end());
  await pool.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await pool.query(contactTableSql('MARIADB').replace('contact', `${name}.contact`));
  const entry = { jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/${name}`, user, password } as const;
  return createContactDatabase(choice, entry, transactMariadb(pool, name));
};

/** Opens databases for many runs; they share one MariaDB, which starts with its first use. */
export interface ContactServers {
  open(leftovers: Leftovers, choice: DatabaseChoice): Promise<ContactDatabase>;
}

export const createContactServers = (leftovers: Leftovers): ContactServers => {
  let mariadb: Promise<Mariadb> | undefined;
  let opened = 0;
  const shareMariadb = async (): Promise<Mariadb> => {
    const started = await startMariadb();
    leftovers.add(() => started.dispose());
    return started;
  };
  return {
    open: async (ofRun, choice) => {
      if (choice.kind === 'SQLITE') return openSqlite(ofRun, choice);
      if (choice.kind === 'POSTGRESQL') return openPostgresql(ofRun, choice);
      mariadb ??= shareMariadb();
      opened += 1;
      return openMariadb(ofRun, choice, await mariadb, `contacts_${opened}`);
    },
  };
};
