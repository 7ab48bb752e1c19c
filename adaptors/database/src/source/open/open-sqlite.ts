import knex, { type Knex } from 'knex';
import { wrapIdentifierOf } from '../identifier.js';
import { LibsqlClient } from './libsql-client.js';
import { usualConfig } from './silent.js';

interface LibsqlConnection {
  exec(sql: string): void;
  defaultSafeIntegers(on: boolean): void;
}

export const openSqlite = (filename: string): Knex =>
  knex({
    ...usualConfig,
    client: LibsqlClient,
    wrapIdentifier: wrapIdentifierOf('sqlite'),
    useNullAsDefault: true,
    // one writer: SQLite locks the file
    pool: {
      min: 0,
      max: 1,
      afterCreate: (connection: LibsqlConnection, done: (error?: Error) => void) => {
        connection.defaultSafeIntegers(true);
        connection.exec('PRAGMA busy_timeout = 5000');
        done();
      },
    },
    connection: { filename },
  });
