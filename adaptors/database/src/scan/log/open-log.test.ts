import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { parseAdaptorMetadata } from '../../configuration/adaptor-metadata.js';
import { LogUnavailable } from './log-unavailable.js';
import { openLog } from './open-log.js';

const [table] = parseAdaptorMetadata({
  databases: { main: { type: 'JDBC', properties: { jdbcUrl: 'jdbc:postgresql://db/crm' } } },
  tables: [
    {
      domain: 'person',
      version: 1,
      primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
      dataColumns: { id: { source: 'id', columnType: 'LONG' } },
      dataSource: { name: 'main', tableName: 'person' },
      scanMethod: 'LOG',
    },
  ],
}).tables;

it.each([
  ['replica', '150004', 'wal_level of the server is "replica", LOG needs "logical"'],
  ['logical', '130012', 'LOG needs PostgreSQL 14 or newer'],
])('reports the setting of a server with wal_level %s and version %s', async (level, version, reason) => {
  const connection = { raw: () => Promise.resolve({ rows: [{ level, version }] }) } as unknown as Knex;
  if (table === undefined) throw new Error('no table');
  await expect(openLog(connection, 'a', table, () => Promise.resolve())).rejects.toEqual(new LogUnavailable(reason));
});
