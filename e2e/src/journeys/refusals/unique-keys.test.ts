import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually, mariadbMissing } from '@fds/testing';
import { startDatabaseAdaptor } from '../../harness/adaptor-process.js';
import {
  allActions,
  createAdaptor,
  type CreatedAdaptor,
  createVersion,
  requireStatus,
  rootZone,
} from '../../harness/catalogue.js';
import { type Client, signIn } from '../../harness/client.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { startService } from '../../harness/service.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { openWalkedMariadb, openWalkedPostgresql, openWalkedSqlite, type WalkedDatabase } from './walked-databases.js';

const moments = { PostgreSQL: 'timestamptz', MariaDB: 'datetime(6)', SQLite: 'text' } as const;

const createTable = async ({ name, account, run }: WalkedDatabase): Promise<void> => {
  await run(`CREATE TABLE person (id varchar(40) PRIMARY KEY, mail varchar(40) UNIQUE, changed ${moments[name]})`);
  await run(`CREATE VIEW mails AS SELECT id, mail AS v, 0 AS n FROM person`);
  const on = name === 'MariaDB' ? `walk.person` : 'person';
  if (account !== '') await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${on} TO ${account}`);
};

const metadataOf = ({ properties, schema }: WalkedDatabase) => ({
  databases: { source: { type: 'JDBC', properties } },
  tables: [
    {
      domain: 'person',
      version: 1,
      dataSource: { name: 'source', ...(schema === undefined ? {} : { schema }), tableName: 'person' },
      primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
      timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
      dataColumns: {
        id: { source: 'id', columnType: 'STRING', updatable: false },
        mail: { source: 'mail', columnType: 'STRING' },
      },
    },
  ],
});

const whyNoMariadb = mariadbMissing === undefined ? '' : ` (without MariaDB: ${mariadbMissing})`;

describe(`a unique value that moves to another record${whyNoMariadb}`, () => {
  const leftovers = createLeftovers();
  const adaptors: CreatedAdaptor[] = [];
  let databases: readonly WalkedDatabase[];
  let client: Client;
  let zone: string;
  let source: RunningAdaptor;

  const put = (id: string, mail: string | null): Promise<void> =>
    source.publish({ action: 'PUT', domain: 'person', version: 1, json: { id, mail } });
  const mailOf = async (database: WalkedDatabase, id: string): Promise<unknown> => (await database.row('mails', id))?.v;
  const issuesOf = async ({ uuid }: CreatedAdaptor): Promise<readonly unknown[]> => {
    const path = `/zones/${zone}/adaptors/${uuid}/issues`;
    return requireStatus(await client.rest<{ issues: readonly unknown[] }>('GET', path), 200).body.issues;
  };
  const everywhere = (id: string, mail: string | undefined): Promise<void> =>
    eventually(async () => {
      for (const database of databases)
        expect([database.name, await mailOf(database, id)]).toEqual([database.name, mail]);
    });

  beforeAll(async () => {
    const service = await startService(leftovers);
    client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(client);
    const properties = { id: { type: 'string' }, mail: { type: 'string' } };
    await createVersion(client, { name: 'person', domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
    const capabilities = allActions('person');
    databases = [
      await openWalkedPostgresql(leftovers),
      ...(mariadbMissing === undefined ? [await openWalkedMariadb(leftovers)] : []),
      openWalkedSqlite(leftovers),
    ];
    for (const database of databases) {
      await createTable(database);
      const metadata = metadataOf(database);
      const adaptor = await createAdaptor(client, zone, { name: database.name, capabilities, metadata });
      await startDatabaseAdaptor(leftovers, service, adaptor);
      adaptors.push(adaptor);
    }
    const created = await createAdaptor(client, zone, { name: 'Source', capabilities });
    source = await startSourceAdaptor(leftovers, service, created, {});
  }, 300_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it('waits until the value is free, in whatever order the changes come', async () => {
    await put('a', 'ada@example.org');
    await everywhere('a', 'ada@example.org');
    // the record that takes the value comes first, as it may do when a key changes
    await put('b', 'ada@example.org');
    await put('c', 'carl@example.org');
    await everywhere('c', 'carl@example.org');
    await put('a', 'ada@example.com');
    await everywhere('b', 'ada@example.org');
    await everywhere('a', 'ada@example.com');
    // a key that changes: the new record comes before the deletion of the former one
    await put('d', 'carl@example.org');
    await source.publish({ action: 'DELETE', domain: 'person', version: 1, drKey: { id: 'c' } });
    await everywhere('d', 'carl@example.org');
    await everywhere('c', undefined);
    for (const adaptor of adaptors) expect(await issuesOf(adaptor)).toEqual([]);
  }, 120_000);

  it('is one issue where the value stays taken', async () => {
    await put('e', 'ada@example.com');
    for (const adaptor of adaptors)
      await eventually(
        async () =>
          expect(await issuesOf(adaptor)).toMatchObject([
            { title: expect.stringContaining('The database refused the row: another row already has this value of ') },
          ]),
        { deadlineMs: 60_000 },
      );
    await everywhere('e', undefined);
  }, 240_000);
});
