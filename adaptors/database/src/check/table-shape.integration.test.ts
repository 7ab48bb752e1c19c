import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';
import { checkConfiguration } from './check-configuration.js';

const text: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'text',
  MariaDB: 'varchar(40) COLLATE utf8mb4_nopad_bin',
  SQLite: 'TEXT',
};

describe.each(Object.keys(testSources) as TestedDatabase[])('the check of the form of tables in %s', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  let source: TestSource;

  beforeAll(async () => {
    if (missing === undefined) source = await open();
  });
  afterAll(() => source?.dispose());

  const noKey =
    '/tables/0/primaryKeySpecs: t has no unique key in land, code: several rows can have the key of a record. Such rows are a data issue, and none of them is exchanged';
  const required = (columns: string): string =>
    `/tables/0/dataColumns: t requires a value in ${columns}, which has no default, and no event gives one: unless a trigger does, the database refuses each new record`;

  const warningsFor = async (columns: string, more: object = {}, kind = 'TABLE'): Promise<readonly string[]> => {
    await source.run(`DROP ${kind === 'TABLE' ? 'TABLE' : 'VIEW'} IF EXISTS t`);
    if (kind === 'TABLE') await source.run(`CREATE TABLE t (${columns})`);
    else await source.run(`CREATE VIEW t AS ${columns}`);
    const { warnings } = await checkConfiguration({
      metadata: {
        databases: { main: { type: 'JDBC', properties: source.properties as Record<string, string> } },
        tables: [
          {
            domain: 'person',
            version: 1,
            primaryKeySpecs: [
              { type: 'DOMAIN', land: { columnType: 'STRING' } },
              { type: 'DOMAIN', code: { columnType: 'STRING' } },
            ],
            dataColumns: {
              land: { source: 'land', columnType: 'STRING' },
              code: { source: 'code', columnType: 'STRING' },
              name: { source: 'name', columnType: 'STRING' },
            },
            dataSource: { name: 'main', tableName: 't' },
            ...more,
          },
        ],
      },
      capabilities: [{ domainName: 'person', versionNumber: 1, action: 'PUT' }],
      domainVersions: [
        {
          domain: 'person',
          version: 1,
          domainVersionUuid: '0199d0a0-0000-7000-8000-000000000001',
          drKeyProperties: ['land', 'code'],
          modelSchema: {
            properties: { land: { type: 'string' }, code: { type: 'string' }, name: { type: 'string' } },
          },
        },
      ],
      discoveryMode: false,
    });
    return warnings.filter((warning) => !warning.includes(': the key column '));
  };

  const t = text[name];
  const columns = `land ${t} NOT NULL, code ${t} NOT NULL, name ${t}`;

  check('is satisfied with a unique key in the columns of the entry', async () => {
    expect(await warningsFor(`${columns}, PRIMARY KEY (land, code)`)).toEqual([]);
    expect(await warningsFor(`${columns}, UNIQUE (code)`)).toEqual([]);
  });

  check('warns about a table whose key may have several rows', async () => {
    expect(await warningsFor(columns)).toEqual([noKey]);
    expect(await warningsFor(`${columns}, UNIQUE (code, name)`)).toEqual([noKey]);
    expect(await warningsFor(`${columns}, id int PRIMARY KEY DEFAULT 1`)).toEqual([noKey]);
  });

  check('warns about columns that a new row must have and no event gives', async () => {
    const more = `${columns}, must ${t} NOT NULL, other int NOT NULL, free int, made int NOT NULL DEFAULT 1, PRIMARY KEY (land, code)`;
    expect(await warningsFor(more)).toEqual([required('must, other')]);
    expect(await warningsFor(more, { mapping: { toRow: { must: `'x'`, other: '1' } } })).toEqual([]);
    expect(await warningsFor(more, { scanOptions: { enableIncoming: false } })).toEqual([]);
    const unmapped = { code: { source: 'code', columnType: 'STRING' }, land: { source: 'land', columnType: 'STRING' } };
    const named = { ...unmapped, name: { source: 'name', columnType: 'STRING', insertable: false } };
    expect(
      await warningsFor(`${columns.replace(/name .*$/, `name ${t} NOT NULL`)}, PRIMARY KEY (land, code)`, {
        dataColumns: named,
      }),
    ).toEqual([required('name')]);
  });

  check('says nothing about a view', async () => {
    await source.run('DROP TABLE IF EXISTS t');
    expect(await warningsFor(`SELECT 'a' AS land, 'b' AS code, 'c' AS name`, {}, 'VIEW')).toEqual([]);
    await source.run('DROP VIEW t');
  });
});
