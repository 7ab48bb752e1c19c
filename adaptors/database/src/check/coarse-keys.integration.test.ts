import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases } from '../source/open-databases.js';
import { createSourceTable } from '../source/source-table.js';
import { checkConfiguration } from './check-configuration.js';
import { findCoarseKeys } from './coarse-keys.js';

/** Types of key columns, with the equality that the warning names; null: no warning. */
const keys: Readonly<Record<TestedDatabase, readonly (readonly [type: string, named: string | null])[]>> = {
  PostgreSQL: [
    ['text', null],
    ['text COLLATE "C"', null],
    ['uuid', null],
    ['bigint', null],
    ['citext', 'citext, collation default'],
    ['text COLLATE folded', 'text, collation folded'],
    ['char(10)', 'character, collation default'],
  ],
  MariaDB: [
    ['bigint', null],
    ['varchar(40) COLLATE utf8mb4_nopad_bin', null],
    ['varchar(40) COLLATE utf8mb4_general_ci', 'varchar, collation utf8mb4_general_ci'],
    ['varchar(40) COLLATE utf8mb4_bin', 'varchar, collation utf8mb4_bin'],
    ['char(10) COLLATE utf8mb4_nopad_bin', 'char, collation utf8mb4_nopad_bin'],
  ],
  SQLite: [
    ['TEXT', null],
    ['INTEGER', null],
    ['TEXT COLLATE NOCASE', 'TEXT, collation NOCASE'],
    ['TEXT COLLATE RTRIM', 'TEXT, collation RTRIM'],
  ],
};

describe.each(Object.keys(testSources) as TestedDatabase[])('the check of key columns in %s', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  let source: TestSource;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    if (name !== 'PostgreSQL') return;
    await source.run(
      'CREATE EXTENSION citext',
      `CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
    );
  });
  afterAll(() => source?.dispose());

  const warningsFor = async (primaryKeySpecs: readonly unknown[]): Promise<readonly string[]> => {
    const { tables, warnings } = await checkConfiguration({
      metadata: {
        databases: { main: { type: 'JDBC', properties: source.properties as Record<string, string> } },
        tables: [
          {
            domain: 'person',
            version: 1,
            primaryKeySpecs: primaryKeySpecs as Record<string, string>[],
            dataColumns: {
              code: { source: 'code', columnType: 'STRING' },
              name: { source: 'name', columnType: 'STRING' },
            },
            dataSource: { name: 'main', tableName: 't' },
          },
        ],
      },
      capabilities: [{ domainName: 'person', versionNumber: 1, action: 'PUT' }],
      domainVersions: [
        {
          domain: 'person',
          version: 1,
          domainVersionUuid: '0199d0a0-0000-7000-8000-000000000001',
          drKeyProperties: ['code'],
          modelSchema: { properties: { code: { type: 'string' }, name: { type: 'string' } } },
        },
      ],
      discoveryMode: false,
    });
    expect(tables).toEqual(['person:1']);
    return warnings;
  };

  for (const [type, named] of keys[name])
    check(`${named === null ? 'is satisfied with' : 'warns about'} ${type}`, async () => {
      // columns that belong to no key may have any equality
      await source.run(
        'DROP TABLE IF EXISTS t',
        `CREATE TABLE t (id ${name === 'SQLite' ? 'INTEGER' : 'int'} UNIQUE, code ${type} PRIMARY KEY, name ${type})`,
      );
      const places: [string, unknown][] = [
        ['/tables/0/primaryKeySpecs/0/code', { type: 'DOMAIN', code: { columnType: 'STRING' } }],
        ['/tables/0/dataColumns/code', { type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
      ];
      for (const [place, keySpec] of places) {
        const warnings = await warningsFor([keySpec]);
        const difference = /_bin$|RTRIM|^char/.test(named ?? '') ? 'blanks' : 'case, accents or blanks';
        if (named === null) expect(warnings).toEqual([]);
        else
          expect(warnings).toEqual([
            expect.stringMatching(
              new RegExp(
                `^${place}: the key column "code" of t is ${named}: the database may treat keys as equal that differ in ${difference} at the end\\. `,
              ),
            ),
          ]);
      }
    });

  check('reads the columns once for the check and for the events', async () => {
    const text = name === 'SQLite' ? 'TEXT' : 'varchar(40)';
    await source.run('DROP TABLE IF EXISTS t', `CREATE TABLE t (code ${text} PRIMARY KEY)`);
    const metadata = parseAdaptorMetadata({
      databases: { main: { type: 'JDBC', properties: source.properties as Record<string, string> } },
      tables: [
        {
          domain: 'person',
          version: 1,
          primaryKeySpecs: [{ type: 'DOMAIN', code: { columnType: 'STRING' } }],
          dataColumns: { code: { source: 'code', columnType: 'STRING' } },
          dataSource: { name: 'main', tableName: 't' },
        },
      ],
    });
    const [main] = openDatabases(metadata).values();
    const [entry] = metadata.tables;
    if (main === undefined || entry === undefined) throw new Error('no table');
    const table = createSourceTable(main.knex, entry, main.database.address.dialect);
    const statements: string[] = [];
    main.knex.on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
    try {
      await findCoarseKeys(metadata.tables, { domainVersions: [] }, () => table.equalities());
      expect((await table.equalities()).has('code')).toBe(true);
      expect(statements).toHaveLength(1);
    } finally {
      await disconnect([main.knex]);
    }
  });
});
