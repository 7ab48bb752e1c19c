import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../../configuration/table-metadata.js';
import type { LogAccess } from '../log-access.js';
import type { BinlogReader } from './binlog-reader.js';
import { readSnapshotPosition, untilSnapshotShows } from './binlog-snapshot.js';
import { checkBinlog } from './check-binlog.js';
import { followTable } from './follow-table.js';

interface MariadbLog {
  readonly knex: Knex;
  readonly reader: BinlogReader;
  /** The server, such as `host:3306`. A position is only valid on its own server. */
  readonly server: string;
  readonly table: TableMetadata;
  /** The stored mark. */
  scannedLog(): Promise<string | undefined>;
  /** Stores a mark durably. */
  rememberLog(mark: string): Promise<void>;
}

/** The binary log of a table in MariaDB. The mark contains the position up to which everything is reported. */
export const createMariadbLog = ({ knex, reader, server, table, scannedLog, rememberLog }: MariadbLog): LogAccess => {
  const keyColumns = table.primaryKeySpecs.map(({ column }) => column);
  const { schema, tableName } = table.dataSource;
  const source = createHash('sha256')
    .update(JSON.stringify([server, schema ?? null, tableName, keyColumns]))
    .digest('hex')
    .slice(0, 8);
  const markOf = (position: string): string => `binlog:${source}:${position}`;
  const positionOf = (mark: string): string | undefined =>
    mark.startsWith(markOf('')) ? mark.slice(markOf('').length) : undefined;

  return {
    open: async (beforeNew) => {
      const logged = await checkBinlog(knex, table);
      const mark = await scannedLog();
      const known = mark === undefined ? undefined : positionOf(mark);
      if (known === undefined) await beforeNew();
      const position = known ?? (await readSnapshotPosition(knex));
      return {
        mark: markOf(position),
        isNew: known === undefined,
        follow: (listener, signal) =>
          followTable(
            {
              reader,
              table: logged,
              keyColumns,
              position,
              untilVisible: (transactions, ending) => untilSnapshotShows(knex, transactions, ending),
              remember: (reported) => rememberLog(markOf(reported)),
            },
            {
              ...listener,
              onUnknownRows: async () => {
                // the statement may have added a foreign key to the table, or changed the type of its key
                await checkBinlog(knex, table);
                await listener.onUnknownRows();
              },
            },
            signal,
          ),
      };
    },
  };
};
