import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../source/open-databases.js';
import { testOn, testSources, type TestSource } from '../testing/test-sources.js';
import { findRowSecurity } from './row-security.js';

const { open, missing } = testSources.PostgreSQL;
const check = testOn(missing);
const user = `fds_secured_${randomUUID().replaceAll('-', '')}`;

describe('the check of row level security in PostgreSQL', () => {
  let source: TestSource;
  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(
      `CREATE ROLE ${user} LOGIN PASSWORD 'secured'`,
      'CREATE TABLE t (id text PRIMARY KEY, v text)',
      'CREATE TABLE "Plain" (id text PRIMARY KEY, v text)',
      'CREATE VIEW seen WITH (security_invoker = true) AS SELECT * FROM t',
      'CREATE VIEW seen_too WITH (security_invoker = on) AS SELECT * FROM t',
      'CREATE VIEW owned AS SELECT * FROM t',
      `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${user}`,
      'CREATE POLICY p ON t USING (v IS NULL)',
    );
  });
  afterAll(async () => {
    await source?.run(`DROP OWNED BY ${user}`, `DROP ROLE ${user}`);
    await source?.dispose();
  });

  const warningsFor = async (
    tableName: string,
    more: { readonly scanOptions?: Record<string, boolean>; readonly isOwner?: boolean } = {},
  ): Promise<readonly string[]> => {
    const account = more.isOwner === true ? {} : { 'dataSource.user': user, 'dataSource.password': 'secured' };
    const metadata = parseAdaptorMetadata({
      databases: { main: { type: 'JDBC', properties: { ...source.properties, ...account } as Record<string, string> } },
      tables: [
        {
          domain: 'person',
          version: 1,
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
          dataColumns: { id: { source: 'id', columnType: 'STRING' } },
          dataSource: { name: 'main', tableName },
          ...(more.scanOptions === undefined ? {} : { scanOptions: more.scanOptions }),
        },
      ],
    });
    const opened = openDatabases(metadata);
    try {
      return await findRowSecurity(metadata.tables, opened);
    } finally {
      await disconnect([...opened.values()].map(({ knex }) => knex));
    }
  };
  const warning = [expect.stringMatching(/^\/tables\/0\/dataSource\/tableName: row level security of t applies/)];

  check('warns where policies apply to the user, also through a view with the rights of its reader', async () => {
    expect(await warningsFor('t')).toEqual([]);
    await source.run('ALTER TABLE t ENABLE ROW LEVEL SECURITY');
    expect(await warningsFor('t')).toEqual(warning);
    expect(await warningsFor('seen')).toEqual(warning);
    expect(await warningsFor('seen_too')).toEqual(warning);
    expect(await warningsFor('owned')).toEqual([]);
    expect(await warningsFor('Plain')).toEqual([]);
    // an owner and a user with BYPASSRLS see every row, and a table that is not scanned reports no deletion
    expect(await warningsFor('t', { isOwner: true })).toEqual([]);
    expect(await warningsFor('t', { scanOptions: { enableProcessor: false } })).toEqual([]);
    await source.run(`ALTER ROLE ${user} BYPASSRLS`);
    expect(await warningsFor('t')).toEqual([]);
  });
});
