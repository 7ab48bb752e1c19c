import type { ClientConfig } from 'pg';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import { followLog } from './follow-log.js';
import type { LogAccess, OpenedLog } from './log-access.js';
import { checkOpenLog, openLog } from './open-log.js';
import { untilVisible } from './until-visible.js';

interface PostgresqlLog {
  readonly knex: Knex;
  /** Configuration of the connection that reads the log. */
  readonly connection: ClientConfig;
  readonly adaptorUuid: string;
  readonly table: TableMetadata;
  /** Stores a mark durably. */
  rememberLog(mark: string): Promise<void>;
}

/**
 * The log of a table in PostgreSQL: a separate slot. The mark contains the definition of the table when
 * all its rows were last compared, because ALTER TABLE can change rows without an entry in the log.
 */
export const createPostgresqlLog = ({
  knex,
  connection,
  adaptorUuid,
  table,
  rememberLog,
}: PostgresqlLog): LogAccess => ({
  open: async (beforeNew) => {
    const { name, target, confirmed, definition, isNew } = await openLog(knex, adaptorUuid, table, beforeNew);
    const markOf = (compared: string): string => `${name} ${compared}`;
    /** The last definition for which all rows were compared, or will be. */
    let latest = definition;
    const check = async (): Promise<boolean> => {
      try {
        const present = await checkOpenLog(knex, table);
        const isRewritten = present !== latest;
        latest = present;
        return isRewritten;
      } catch (error) {
        // all connections are in use: the database answers the others
        if (error instanceof Error && error.name === 'KnexTimeoutError') return false;
        throw error;
      }
    };
    const follow: OpenedLog['follow'] = (listener, signal) => {
      const onUnknownRows = async (): Promise<void> => {
        // read before the rows: a later definition leads to another comparison
        const compared = await checkOpenLog(knex, table);
        latest = compared;
        await listener.onUnknownRows();
        await rememberLog(markOf(compared));
      };
      const slot = {
        connection,
        name,
        table: target,
        confirmed,
        keyColumns: table.primaryKeySpecs.map(({ column }) => column),
        untilVisible: (transactions: ReadonlySet<number>, ending: AbortSignal) =>
          untilVisible(knex, transactions, ending),
        check,
      };
      return followLog(slot, { ...listener, onUnknownRows }, signal);
    };
    return { mark: markOf(definition), isNew, follow };
  },
});
