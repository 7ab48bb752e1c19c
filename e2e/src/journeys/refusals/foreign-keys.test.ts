import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { casesOf, eventually, mariadbMissing } from '@fds/testing';
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

/** Rows of each table. */
const size = casesOf(200);
const deadlineMs = 90_000 + size * 100;

const tables = ['customer', 'purchase', 'note'] as const;
const columns: Readonly<Record<(typeof tables)[number], string>> = {
  customer: 'n integer',
  purchase: 'n integer, customer varchar(40) NOT NULL REFERENCES customer (id)',
  note: 'n integer',
};
const moments = { PostgreSQL: 'timestamptz', MariaDB: 'datetime(6)', SQLite: 'text' } as const;

const createTables = async ({ name, account, run }: WalkedDatabase): Promise<void> => {
  for (const table of tables) {
    await run(`CREATE TABLE ${table} (id varchar(40) PRIMARY KEY, ${columns[table]}, changed ${moments[name]})`);
    await run(`CREATE VIEW of_${table} AS SELECT 'all' AS id, '' AS v, count(*) AS n FROM ${table}`);
    const on = name === 'MariaDB' ? `walk.${table}` : table;
    if (account !== '') await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${on} TO ${account}`);
  }
};

const metadataOf = ({ properties, schema }: WalkedDatabase) => ({
  databases: { source: { type: 'JDBC', properties } },
  tables: tables.map((table) => ({
    domain: table,
    version: 1,
    dataSource: { name: 'source', ...(schema === undefined ? {} : { schema }), tableName: table },
    primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
    timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
    dataColumns: {
      id: { source: 'id', columnType: 'STRING', updatable: false },
      n: { source: 'n', columnType: 'LONG' },
      ...(table === 'purchase' ? { customer: { source: 'customer', columnType: 'STRING' } } : {}),
    },
  })),
});

const whyNoMariadb = mariadbMissing === undefined ? '' : ` (without MariaDB: ${mariadbMissing})`;

describe(`a first load of two tables with a foreign key${whyNoMariadb}`, () => {
  const leftovers = createLeftovers();
  const adaptors: CreatedAdaptor[] = [];
  let databases: readonly WalkedDatabase[];
  let client: Client;
  let zone: string;
  let source: RunningAdaptor;

  const count = async (database: WalkedDatabase, table: string): Promise<number> => {
    const row = await database.row(`of_${table}`, 'all');
    return Number(row?.n);
  };
  const issuesOf = async ({ uuid }: CreatedAdaptor): Promise<readonly unknown[]> => {
    const path = `/zones/${zone}/adaptors/${uuid}/issues`;
    return requireStatus(await client.rest<{ issues: readonly unknown[] }>('GET', path), 200).body.issues;
  };
  const publish = (domain: (typeof tables)[number], n: number): Promise<void> =>
    source.publish({
      action: 'POST',
      domain,
      version: 1,
      json: { id: `${domain}-${n}`, n, ...(domain === 'purchase' ? { customer: `customer-${n}` } : {}) },
    });
  const publishAll = async (domain: (typeof tables)[number]): Promise<void> => {
    await Promise.all(Array.from({ length: size }, (_, at) => publish(domain, at + 1)));
  };

  beforeAll(async () => {
    const service = await startService(leftovers);
    client = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    zone = await rootZone(client);
    const properties = { id: { type: 'string' }, n: { type: 'integer' }, customer: { type: 'string' } };
    for (const name of tables)
      await createVersion(client, { name, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
    const capabilities = tables.flatMap((name) => allActions(name));
    databases = [
      await openWalkedPostgresql(leftovers),
      ...(mariadbMissing === undefined ? [await openWalkedMariadb(leftovers)] : []),
      openWalkedSqlite(leftovers),
    ];
    for (const database of databases) {
      await createTables(database);
      const metadata = metadataOf(database);
      const adaptor = await createAdaptor(client, zone, { name: database.name, capabilities, metadata });
      await startDatabaseAdaptor(leftovers, service, adaptor);
      adaptors.push(adaptor);
    }
    const created = await createAdaptor(client, zone, { name: 'Source', capabilities });
    source = await startSourceAdaptor(leftovers, service, created, {});
  }, 300_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it(
    'has all rows and no issue in the end, although all rows come before the rows that they refer to',
    async () => {
      await publishAll('purchase');
      const beganAtMs = performance.now();
      // longer than a few attempts, and as long as a load without a pause
      await eventually(
        async () => {
          const n = Math.round(performance.now() - beganAtMs);
          await publish('note', n);
          expect(n).toBeGreaterThan(5_000);
        },
        { deadlineMs: 60_000, intervalMs: 100 },
      );
      for (const database of databases) expect(await count(database, 'purchase')).toBe(0);
      await publishAll('customer');
      await eventually(
        async () => {
          for (const database of databases) {
            const rows = [await count(database, 'customer'), await count(database, 'purchase')];
            expect([database.name, ...rows]).toEqual([database.name, size, size]);
          }
        },
        { deadlineMs, intervalMs: 500 },
      );
      for (const adaptor of adaptors) expect(await issuesOf(adaptor)).toEqual([]);
    },
    deadlineMs * 2,
  );

  it('raises one issue for a row whose other row never comes', async () => {
    await publish('purchase', size + 1);
    await eventually(
      async () => {
        for (const adaptor of adaptors) expect(await issuesOf(adaptor)).toHaveLength(1);
      },
      { deadlineMs: 60_000, intervalMs: 500 },
    );
  }, 90_000);
});
