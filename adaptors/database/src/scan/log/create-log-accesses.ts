import type { TableMetadata } from '../../configuration/table-metadata.js';
import type { OpenedDatabase } from '../../source/open-databases.js';
import { mysqlConnection } from '../../source/open/open-mysql.js';
import { postgresqlConnection } from '../../source/open/open-postgresql.js';
import type { TableState } from '../../state/adaptor-state.js';
import { createBinlogReader, type BinlogReader } from './binlog/binlog-reader.js';
import { createMariadbLog } from './binlog/mariadb-log.js';
import { serverIdOf } from './binlog/server-id.js';
import type { LogAccess } from './log-access.js';
import { LogUnavailable } from './log-unavailable.js';
import { createPostgresqlLog } from './postgresql-log.js';

/**
 * Returns the log of each table. Tables of one MariaDB database share a reader. @returns undefined if LOG is not
 * configured
 */
export const createLogAccesses = (
  adaptorUuid: string,
): ((table: TableMetadata, database: OpenedDatabase, state: TableState) => LogAccess | undefined) => {
  const readers = new Map<string, BinlogReader>();
  return (table, { knex, database }, { scannedLog, rememberLog }) => {
    const { address } = database;
    const { name } = table.dataSource;
    if (table.scanMethod !== 'LOG') return undefined;
    if (address.dialect === 'postgresql')
      return createPostgresqlLog({
        knex,
        connection: postgresqlConnection(address, database),
        adaptorUuid,
        table,
        rememberLog,
      });
    if (address.dialect === 'mysql') {
      const reader =
        readers.get(name) ??
        createBinlogReader({ connection: mysqlConnection(address, database) }, (attempt) =>
          serverIdOf(adaptorUuid, name, attempt),
        );
      readers.set(name, reader);
      const server = `${address.host}:${address.port}/${address.database}`;
      return createMariadbLog({ knex, reader, server, table, scannedLog, rememberLog });
    }
    return { open: () => Promise.reject(new LogUnavailable('LOG is possible with PostgreSQL and MariaDB only')) };
  };
};
