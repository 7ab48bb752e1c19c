import type { ClientConfig } from 'pg';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { followLog } from './follow-log.js';
import type { LogAccess } from './log-access.js';
import { checkOpenLog, openLog } from './open-log.js';
import { untilVisible } from './until-visible.js';

interface PostgresqlLog {
  readonly knex: Knex;
  /** Configuration of the connection that reads the log. */
  readonly connection: ClientConfig;
  readonly adaptorUuid: string;
  readonly table: TableMetadata;
}

/** The log of a table in PostgreSQL: a separate slot and publication. */
export const createPostgresqlLog = ({ knex, connection, adaptorUuid, table }: PostgresqlLog): LogAccess => ({
  open: async (beforeNew) => {
    const { name, confirmed, isNew } = await openLog(knex, adaptorUuid, table, beforeNew);
    const slot = {
      connection,
      name,
      confirmed,
      keyColumns: table.primaryKeySpecs.map(({ column }) => column),
      untilVisible: (transactions: ReadonlySet<number>, signal: AbortSignal) =>
        untilVisible(knex, transactions, signal),
      check: () =>
        checkOpenLog(knex, name, table).catch((error: Error) => {
          // all connections are in use: the database answers the others
          if (error.name !== 'KnexTimeoutError') throw error;
        }),
    };
    return { mark: name, isNew, follow: (listener, signal) => followLog(slot, listener, signal) };
  },
});
