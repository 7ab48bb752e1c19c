import type { Knex } from 'knex';
import type { DatabaseAdaptorMetadata, JdbcDatabase } from '../configuration/adaptor-metadata.js';
import { openKnex } from './open-knex.js';

/** Closes connections. */
export const disconnect = async (connections: Iterable<Knex>): Promise<void> => {
  await Promise.all([...connections].map((connection) => connection.destroy()));
};

/** Closes the connections of a pool. The next statement opens new ones. */
export const reopen = async (connection: Knex): Promise<void> => {
  await connection.destroy();
  connection.initialize();
};

export interface OpenedDatabase {
  readonly knex: Knex;
  readonly database: JdbcDatabase;
}

/** Opens the databases of the tables. Each connects on first use. */
export const openDatabases = (metadata: DatabaseAdaptorMetadata): ReadonlyMap<string, OpenedDatabase> =>
  new Map(
    [...metadata.databases]
      .filter(([name]) => metadata.tables.some(({ dataSource }) => dataSource.name === name))
      .map(([name, database]) => [name, { knex: openKnex(database), database }]),
  );
