import type { Knex } from 'knex';
import type { JdbcDatabase } from '../configuration/adaptor-metadata.js';
import { openMssql } from './open/open-mssql.js';
import { openMysql } from './open/open-mysql.js';
import { openOracle } from './open/open-oracle.js';
import { openPostgresql } from './open/open-postgresql.js';
import { openSqlite } from './open/open-sqlite.js';

const openers = { postgresql: openPostgresql, mysql: openMysql, mssql: openMssql, oracle: openOracle };

/**
 * Opens the database of a table. Connects on first use. The caller that opened it must destroy it.
 *
 * @throws Error when the driver of the database is not installed
 */
export const openKnex = (database: JdbcDatabase): Knex => {
  const { address } = database;
  return address.dialect === 'sqlite' ? openSqlite(address.file) : openers[address.dialect](address, database);
};
