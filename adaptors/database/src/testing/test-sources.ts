import { describe, it } from '@jest/globals';
import { mariadbMissing, startMariadb } from '@fds/testing';
import Database from 'libsql';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';

/** A database for a test, with a separate connection. */
export interface TestSource {
  /** Members of `databases.<name>.properties`. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Runs statements one after the other. */
  run(...statements: readonly string[]): Promise<void>;
  /** Removes the database. */
  dispose(): Promise<void>;
}

const postgresUrl = process.env['FDS_TEST_DATABASE_URL'];

const openPostgresql = async (): Promise<TestSource> => {
  const name = `fds_source_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl ?? '');
  const source = new pg.Client({ connectionString: Object.assign(new URL(url.href), { pathname: `/${name}` }).href });
  await source.connect();
  return {
    properties: {
      jdbcUrl: `jdbc:postgresql://${url.host}/${name}`,
      'dataSource.user': url.username,
      'dataSource.password': decodeURIComponent(url.password),
    },
    run: async (...statements) => {
      for (const statement of statements) await source.query(statement);
    },
    dispose: async () => {
      await source.query(
        `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database() AND active`,
      );
      await source.query(
        `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()`,
      );
      await source.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
};

const openMariadb = async (): Promise<TestSource> => {
  const server = await startMariadb();
  const { port, user, password } = server;
  const source = await mysql.createConnection({ host: '127.0.0.1', port, user, password, charset: 'utf8mb4' });
  await source.query('CREATE DATABASE crm CHARACTER SET utf8mb4');
  await source.query('USE crm');
  return {
    properties: {
      jdbcUrl: `jdbc:mariadb://127.0.0.1:${port}/crm`,
      'dataSource.user': user,
      'dataSource.password': password,
    },
    run: async (...statements) => {
      for (const statement of statements) await source.query(statement);
    },
    dispose: async () => {
      await source.end();
      await server.dispose();
    },
  };
};

const openSqlite = (): Promise<TestSource> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-source-'));
  const file = join(folder, 'source.sqlite');
  const source = new Database(file);
  source.exec('PRAGMA journal_mode = WAL');
  return Promise.resolve({
    properties: { jdbcUrl: `jdbc:sqlite:${file}` },
    run: async (...statements) => {
      for (const statement of statements) source.exec(statement);
    },
    dispose: async () => {
      source.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
};

/** The databases that a test can use, with the reason why one is not available. */
export const testSources = {
  PostgreSQL: {
    open: openPostgresql,
    missing: postgresUrl === undefined ? 'FDS_TEST_DATABASE_URL is not set' : undefined,
    methods: ['TIMESTAMP', 'LOG'],
  },
  MariaDB: { open: openMariadb, missing: mariadbMissing, methods: ['TIMESTAMP', 'LOG'] },
  SQLite: { open: openSqlite, missing: undefined, methods: ['TIMESTAMP'] },
} as const;

export type TestedDatabase = keyof typeof testSources;

/** Declares tests that need a database. Where it is missing, they are skipped, and their name has the reason. */
export const describeOn =
  (missing: string | undefined) =>
  (name: string, work: () => void): void => {
    if (missing === undefined) describe(name, work);
    else describe.skip(`${name} (skipped: ${missing})`, work);
  };

/** Declares a test that needs a database, like `describeOn`. */
export const testOn =
  (missing: string | undefined) =>
  (name: string, work: () => void | Promise<void>, timeoutMs?: number): void => {
    if (missing === undefined) it(name, work, timeoutMs);
    else it.skip(`${name} (skipped: ${missing})`, work, timeoutMs);
  };
