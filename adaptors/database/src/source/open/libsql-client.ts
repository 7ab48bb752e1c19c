import Database from 'libsql';
import { createRequire } from 'node:module';
import type { Knex } from 'knex';

const require = createRequire(import.meta.url);

/** knex's SQLite dialect, which leaves its driver open; the type of the module is not published. */
const SqliteClient = require('knex/lib/dialects/better-sqlite3/index.js') as typeof Knex.Client;

/** SQLite through libsql, which brings its library with it: better-sqlite3's interface without a compiler. */
export class LibsqlClient extends SqliteClient {
  _driver(): typeof Database {
    return Database;
  }
}
