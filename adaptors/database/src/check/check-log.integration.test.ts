import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { describeOn, testSources, type TestSource } from '../testing/test-sources.js';
import { checkConfiguration } from './check-configuration.js';

const timestampSpec = { columnName: 'changed', type: 'TIMESTAMP' };

/** The text of `--check` about a table that is configured for LOG. */
const checkOf = async (
  properties: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, unknown>> = { timestampSpec },
): Promise<readonly string[]> => {
  const { tables, warnings } = await checkConfiguration({
    metadata: {
      databases: { main: { type: 'JDBC', properties: properties as Record<string, string> } },
      tables: [
        {
          domain: 'person',
          version: 1,
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
          dataColumns: { id: { source: 'id', columnType: 'LONG' } },
          dataSource: { name: 'main', tableName: 'p' },
          scanMethod: 'LOG',
          ...(table as Record<string, string>),
        },
      ],
    },
    capabilities: [{ domainName: 'person', versionNumber: 1, action: 'PUT' }],
    domainVersions: [
      {
        domain: 'person',
        version: 1,
        domainVersionUuid: randomUUID(),
        drKeyProperties: ['id'],
        modelSchema: { properties: { id: { type: 'integer' } } },
      },
    ],
    discoveryMode: false,
  });
  expect(warnings).toEqual([]);
  return tables;
};
const lesser = (reason: string): string[] => [
  expect.stringMatching(
    new RegExp(`^person:1 \\(by TIMESTAMP, because LOG is not possible: .*${reason}`),
  ) as unknown as string,
];

const { PostgreSQL, MariaDB, SQLite } = testSources;

describeOn(PostgreSQL.missing)('the check of LOG with PostgreSQL', () => {
  let source: TestSource;
  beforeAll(async () => {
    source = await PostgreSQL.open();
    await source.run('CREATE TABLE p (id int PRIMARY KEY, changed timestamptz)');
  });
  afterAll(() => source.dispose());

  it('is satisfied with a plain table', async () => {
    expect(await checkOf(source.properties)).toEqual(['person:1']);
    expect(await checkOf(source.properties, {})).toEqual(['person:1']);
  });

  it('says beforehand why a table would be read by TIMESTAMP, or could not be read', async () => {
    await source.run('CREATE TABLE child () INHERITS (p)');
    expect(await checkOf(source.properties)).toEqual(lesser('other tables inherit from public.p'));
    await expect(checkOf(source.properties, {})).rejects.toThrow(
      '/tables/0/scanMethod: LOG is not possible: other tables inherit from public.p',
    );
    await source.run('DROP TABLE child', 'ALTER TABLE p SET UNLOGGED');
    expect(await checkOf(source.properties)).toEqual(lesser('UNLOGGED'));
    await source.run('ALTER TABLE p SET LOGGED', 'ALTER TABLE p REPLICA IDENTITY NOTHING');
    expect(await checkOf(source.properties)).toEqual(lesser('replica identity'));
    await source.run('ALTER TABLE p REPLICA IDENTITY DEFAULT');
  });

  it('names the right that the user lacks', async () => {
    const role = `fds_reader_${randomUUID().slice(0, 8)}`;
    await source.run(`CREATE ROLE ${role} LOGIN PASSWORD 'of the test'`, `GRANT SELECT ON p TO ${role}`);
    const properties = { ...source.properties, 'dataSource.user': role, 'dataSource.password': 'of the test' };
    try {
      expect(await checkOf(properties)).toEqual(lesser('lacks the attribute REPLICATION'));
      await source.run(`ALTER ROLE ${role} REPLICATION`);
      expect(await checkOf(properties)).toEqual(['person:1']);
    } finally {
      await source.run(`REASSIGN OWNED BY ${role} TO current_user`, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    }
  });
});

describeOn(MariaDB.missing)('the check of LOG with MariaDB', () => {
  it('is satisfied with a plain table, and names the reason otherwise', async () => {
    const source = await MariaDB.open();
    try {
      await source.run('CREATE TABLE p (id int PRIMARY KEY, changed datetime(6))');
      expect(await checkOf(source.properties)).toEqual(['person:1']);
      await source.run('SET GLOBAL binlog_row_image = MINIMAL');
      expect(await checkOf(source.properties)).toEqual(lesser('binlog_row_image of the server is MINIMAL'));
    } finally {
      await source.dispose();
    }
  });
});

it('the check of LOG names a database without a log', async () => {
  const source = await SQLite.open();
  try {
    await source.run('CREATE TABLE p (id INTEGER PRIMARY KEY, changed TEXT)');
    expect(await checkOf(source.properties)).toEqual(lesser('PostgreSQL and MariaDB only'));
  } finally {
    await source.dispose();
  }
});
