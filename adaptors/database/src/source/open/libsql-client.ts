import Database from 'libsql';
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { isReadOnly, markUnusable } from '../read-only.js';

const require = createRequire(import.meta.url);

interface Query {
  readonly sql: string;
}

interface Dialect {
  _query(connection: Database.Database, query: Query): Promise<Query>;
}

/** The SQLite dialect of knex, which accepts any driver. The type of the module is not published. */
const SqliteClient = require('knex/lib/dialects/better-sqlite3/index.js') as typeof Knex.Client;
const { _query: runQuery } = SqliteClient.prototype as unknown as Dialect;

/**
 * A transaction takes the write lock at its beginning. Otherwise a transaction that reads first fails when another
 * program writes in the meantime.
 */
const controls: ReadonlyMap<string, string> = new Map([
  ['BEGIN;', 'BEGIN IMMEDIATE'],
  ['COMMIT;', 'COMMIT'],
  ['ROLLBACK', 'ROLLBACK'],
  ['ROLLBACK;', 'ROLLBACK'],
]);

const rollBack = (connection: Database.Database): void => {
  if (connection.inTransaction) connection.exec('ROLLBACK');
};

/** Takes the lock for the statement. @throws SqliteError when another program keeps it too long */
const lock = (connection: Database.Database, sql: string): void => {
  if (!/^\s*select\b/i.test(sql)) return void connection.exec('BEGIN IMMEDIATE');
  connection.exec('BEGIN');
  connection.exec('SELECT 1 FROM sqlite_master LIMIT 1');
};

/**
 * SQLite with libsql, which includes its native library. It has the interface of better-sqlite3 and needs no compiler.
 *
 * libsql does not reset a prepared statement that fails because of a lock. From then on its connection shows the file
 * as it was at that moment, cannot write, and can block other programs. So this client takes locks by `exec`, which
 * keeps no statement. A prepared statement only runs when the connection already has the lock.
 */
export class LibsqlClient extends SqliteClient {
  _driver(): typeof Database {
    return Database;
  }

  async _query(connection: Database.Database, query: Query): Promise<Query> {
    const control = controls.get(query.sql);
    if (control !== undefined) {
      try {
        connection.exec(control);
      } catch (error) {
        // a commit that a deferred constraint refuses leaves the transaction open, with the lock of the file
        if (control === 'COMMIT') rollBack(connection);
        if (isReadOnly(error)) markUnusable(connection, error);
        throw error;
      }
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
