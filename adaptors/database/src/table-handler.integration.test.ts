import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Adaptor } from '@fds/adaptor-sdk';
import type { AdaptorError } from '@fds/adaptor-protocol';
import { parseAdaptorMetadata } from './configuration/adaptor-metadata.js';
import { openKnex } from './source/open-knex.js';
import { createSourceTable } from './source/source-table.js';
import { openAdaptorState } from './state/adaptor-state.js';
import { createTableHandler } from './table-handler.js';

it('waits for a source that is away, tells it once and in its health, and applies when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-table-handler-'));
  const mount = join(folder, 'mount');
  const metadata = parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${join(mount, 'source.sqlite')}` } } },
    tables: [
      {
        domain: 'person',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
        dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
        dataSource: { name: 'main', tableName: 'person' },
      },
    ],
  });
  const [database] = [...metadata.databases.values()];
  const [first] = metadata.tables;
  if (database === undefined || first === undefined) throw new Error('no table');
  const connection = openKnex(database);
  const state = openAdaptorState(join(folder, 'state.sqlite'));
  const reported: AdaptorError[] = [];
  const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
  const adaptor = {
    log: silent,
    reportError: (error: AdaptorError) => {
      reported.push(error);
      return Promise.resolve();
    },
  } as Partial<Adaptor> as Adaptor;
  const handler = createTableHandler({
    table: createSourceTable(connection, first, 'sqlite'),
    state: state.table('person', 1),
    adaptor,
    drKeyProperties: ['email'],
    discoveryMode: false,
  });
  const apply = () =>
    handler.apply({
      action: 'POST',
      drUuid: randomUUID(),
      json: { email: 'ada' },
      drKeyValues: ['ada'],
      drKey: '["ada"]',
      jsonData: '{"email":"ada"}',
      domain: 'person',
      version: 1,
      domainVersionUuid: randomUUID(),
      sourceAdaptorUuid: null,
      destinationAdaptorUuid: randomUUID(),
      transactionUuid: randomUUID(),
      createTime: 0,
      messageGroup: 'ada',
      position: { epoch: randomUUID(), sequence: 1 },
    });
  try {
    await expect(apply()).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
    await expect(apply()).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
    expect(handler.health).toBe('DOWN');
    expect(reported.map(({ kind }) => kind)).toEqual(['SOURCE']);
    mkdirSync(mount);
    await connection.raw('CREATE TABLE person (mail TEXT PRIMARY KEY)');
    await apply();
    expect(handler.health).toBe('UP');
    expect(await connection('person').select('mail')).toMatchObject([{ mail: 'ada' }]);
  } finally {
    await connection.destroy();
    state.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
