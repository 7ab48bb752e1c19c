import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { TableMetadata } from '../../../configuration/table-metadata.js';
import { LogUnavailable } from '../log-unavailable.js';
import { checkBinlog } from './check-binlog.js';

const good = { version: '10.11.6-MariaDB', logBin: '1', format: 'ROW', rowImage: 'FULL', foldsNames: '0' };
const variables = { binlog_row_metadata: 'FULL', gtid_slave_pos: '', log_slave_updates: 'OFF' };

it.each([
  [{ version: '8.4.0' }, {}, 'LOG is possible with MariaDB and PostgreSQL; this server is MySQL 8.4.0'],
  [{ logBin: '0' }, {}, 'log_bin of the server is OFF, LOG needs a binary log'],
  [{ format: 'MIXED' }, {}, 'binlog_format of the server is MIXED, LOG needs ROW'],
  [{ rowImage: 'MINIMAL' }, {}, 'binlog_row_image of the server is MINIMAL, LOG needs FULL'],
  [{}, { binlog_row_metadata: '' }, 'LOG needs MariaDB 10.5 or newer'],
  [{}, { binlog_row_metadata: 'NO_LOG' }, 'binlog_row_metadata of the server is NO_LOG, LOG needs FULL'],
  [
    {},
    { gtid_slave_pos: '0-1-7' },
    'the server is a replica with log_slave_updates = OFF: its log lacks the changes of its primary',
  ],
])('names the setting of a server with %j %j', async (settings, others, reason) => {
  const answers: Readonly<Record<string, object[]>> = {
    SELECT: [{ ...good, ...settings }],
    SHOW: Object.entries({ ...variables, ...others }).map(([name, value]) => ({ Variable_name: name, Value: value })),
  };
  const connection = {
    raw: (sql: string) => Promise.resolve([answers[sql.slice(0, sql.indexOf(' '))]]),
  } as unknown as Knex;
  await expect(checkBinlog(connection, {} as TableMetadata)).rejects.toEqual(new LogUnavailable(reason));
});
