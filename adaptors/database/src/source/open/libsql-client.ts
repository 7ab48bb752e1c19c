import Database from 'libsql';
import { createRequire } from 'node:module';
import type { Knex } from 'knex';

const require = createRequire(import.meta.url);

interface Query {
  readonly sql: string;
}

interface Dialect {
  _query(connection: Database.Database, query: Query): Promise<Query>;
}

/** knex's SQLite dialect, which leaves its driver open; the type of the module is not published. */
const SqliteClient = require('knex/lib/dialects/better-sqlite3/index.js') as typeof Knex.Client;
const { _query: runQuery } = SqliteClient.prototype as unknown as Dialect;

/** A transaction takes the write lock when it begins. A transaction that reads first fails when another program writes in the meantime. */
const controls: ReadonlyMap<string, string> = new Map([
  ['BEGIN;', 'BEGIN IMMEDIATE'],
  ['COMMIT;', 'COMMIT'],
  ['ROLLBACK', 'ROLLBACK'],
  ['ROLLBACK;', 'ROLLBACK'],
]);

const rollBack = (connection: Database.Database): void => {
  if (connection.inTransaction) connection.exec('ROLLBACK');
};

/** Takes the lock that the statement needs. @throws SqliteError where another program has it for too long */
const lock = (connection: Database.Database, sql: string): void => {
  if (!/^\s*select\b/i.test(sql)) return void connection.exec('BEGIN IMMEDIATE');
  connection.exec('BEGIN');
  connection.exec('SELECT 1 FROM sqlite_master LIMIT 1');
};

/**
 * SQLite through libsql, which brings its library with it: better-sqlite3's interface without a compiler.
 *
 * libsql does not reset a prepared statement that fails because of a lock. From then on its connection shows the file as it was at
 * that moment, cannot write, and can block other programs. So locks are taken by `exec`, which keeps no statement.
 * A prepared statement runs when the connection has the lock already.
 */
export class LibsqlClient extends SqliteClient {
  _driver(): typeof Database {
    return Database;
  }

  async _query(connection: Database.Database, query: Query): Promise<Query> {
    const control = controls.get(query.sql);
    if (control !== undefined) {
      connection.exec(control);
      return query;
    }
    if (connection.inTransaction || /^\s*pragma\b/i.test(query.sql)) return runQuery.call(this, connection, query);
    try {
      lock(connection, query.sql);
      await runQuery.call(this, connection, query);
      connection.exec('COMMIT');
      return query;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  }
}
