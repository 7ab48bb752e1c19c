import type { TableMetadata } from '../../configuration/table-metadata.js';
import type { OpenedDatabase } from '../../source/open-databases.js';
import { checkBinlog } from './binlog/check-binlog.js';
import { requireRights, requireServer } from './check-postgresql-log.js';
import { LogUnavailable } from './log-unavailable.js';

/**
 * Finds out whether the source allows to read a table from its log. Creates nothing.
 *
 * @returns the first missing requirement; undefined when LOG is possible
 * @throws Error when the source does not answer
 */
export const findLogFault = async (
  table: TableMetadata,
  { knex, database }: OpenedDatabase,
): Promise<string | undefined> => {
  const { dialect } = database.address;
  try {
    if (dialect === 'postgresql') {
      await requireServer(knex);
      await requireRights(knex, table);
    } else if (dialect === 'mysql') await checkBinlog(knex, table);
    else return 'LOG is possible with PostgreSQL and MariaDB only';
    return undefined;
  } catch (error) {
    if (error instanceof LogUnavailable) return error.message;
    throw error;
  }
};
