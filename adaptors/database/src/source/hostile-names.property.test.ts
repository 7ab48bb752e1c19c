import { afterAll, describe, expect, it } from '@jest/globals';
import { casesOf, createRandom } from '@fds/testing';
import knex, { type Knex } from 'knex';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';
import type { Dialect } from './dialect.js';
import { wrapIdentifierOf } from './identifier.js';
import { openKnex } from './open-knex.js';
import { createSourceTable, type SourceTable } from './source-table.js';

const clients: Readonly<Record<Dialect, string>> = {
  postgresql: 'pg',
  sqlite: 'better-sqlite3',
  mysql: 'mysql2',
  mssql: 'mssql',
  oracle: 'oracledb',
};
const jdbcUrls: Readonly<Record<Dialect, string>> = {
  postgresql: 'jdbc:postgresql://db/crm',
  sqlite: 'jdbc:sqlite:/crm',
  mysql: 'jdbc:mysql://db/crm',
  mssql: 'jdbc:sqlserver://db;databaseName=crm',
  oracle: 'jdbc:oracle:thin:@//db:1521/crm',
};
const dialects = Object.keys(clients) as Dialect[];

/** Parts of names that the metadata refuses. */
const refused: Readonly<Partial<Record<Dialect, RegExp>>> = {
  postgresql: /\\+\?/g,
  mssql: /\\+\?/g,
  mysql: /\?/g,
  oracle: /[?"]/g,
};

const quotes: Readonly<Record<Dialect, (name: string) => string>> = {
  postgresql: (name) => `"${name.replaceAll('"', '""')}"`,
  sqlite: (name) => `"${name.replaceAll('"', '""')}"`,
  oracle: (name) => `"${name}"`,
  mysql: (name) => `\`${name.replaceAll('`', '``')}\``,
  mssql: (name) => `[${name.replaceAll(']', ']]')}]`,
};

const pieces = [
  ...Array.from(`"'\`[]\\?:.*;-/#%&|@$(){}<>=, \t\n`),
  'T" WHERE 1=1 --',
  '] --',
  '` --',
  ' as ',
  ' AS x',
  '->',
  '->>',
  '--',
  '/*',
  '*/',
  ':name',
  ':1',
  '??',
  '\\?',
  '${x}',
  'a',
  'B',
  'é',
  '名',
  '😀',
  "'; DROP TABLE x; --",
  '1',
];

interface Names {
  readonly table: string;
  readonly schema: string;
  readonly key: string;
  readonly data: string;
  readonly changed: string;
}

const metadataOf = (dialect: Dialect, { table, schema, key, data, changed }: Names) =>
  parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: jdbcUrls[dialect] } } },
    tables: [
      {
        domain: 'thing',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', [key]: { columnType: 'STRING' } }],
        timestampSpec: { columnName: changed, type: 'TIMESTAMP' },
        dataColumns: {
          [key]: { source: 'key', columnType: 'STRING' },
          [data]: { source: 'data', columnType: 'STRING' },
        },
        dataSource: { name: 'main', schema, tableName: table },
      },
    ],
  });

/** The statements of a table with these names, as the driver gets them. */
const statementsOf = async (dialect: Dialect, names: Names): Promise<readonly string[]> => {
  const connection = knex({
    client: clients[dialect],
    wrapIdentifier: wrapIdentifierOf(dialect),
    useNullAsDefault: true,
  });
  const statements: string[] = [];
  (connection.client as Knex.Client).runner = ((builder: Knex.QueryBuilder) => ({
    run: () => {
      statements.push(builder.toSQL().toNative().sql);
      return Promise.resolve([]);
    },
  })) as never;
  connection.client.transaction = ((work: (on: Knex) => unknown) => work(connection)) as never;
  const [first] = metadataOf(dialect, names).tables;
  if (first === undefined) throw new Error('no table');
  const table = createSourceTable(connection, first, dialect);
  const after = { modified: '2026-01-01 00:00:00', key: ['a'] };
  await table.scan({ from: 0n, until: 1n, after, limit: 10 });
  await table.existing([['a']]);
  await table.rowsBehind(['a'], 10);
  await table.keysBehind(['a'], 10);
  await table.page(20, 10, [{ column: names.data, order: 'desc' }]);
  await table.transaction(async (rows) => {
    // no server returns the row
    await rows.insert({ [names.key]: 'a', [names.data]: 'b' }).catch(() => undefined);
    await rows.update(['a'], { [names.data]: 'c' }).catch(() => undefined);
    await rows.delete(['a']);
  });
  return statements;
};

const plain: Names = { table: 'plain_t', schema: 'plain_s', key: 'plain_k', data: 'plain_d', changed: 'plain_c' };
const parts = ['table', 'schema', 'key', 'data', 'changed'] as const;

/** Names of these pieces. The last letter distinguishes them. */
const hostileNames = (random: ReturnType<typeof createRandom>, dialect: Dialect): Names => {
  const name = (last: string): string => {
    const text = Array.from({ length: 1 + random.below(5) }, () => random.pick(pieces)).join('');
    return `${text.replace(refused[dialect] ?? /$^/, '')}${last}`;
  };
  return { table: name('t'), schema: name('s'), key: name('k'), data: name('d'), changed: name('c') };
};

describe.each(dialects)('names of tables, schemas and columns in statements for %s', (dialect) => {
  it('are quoted as a whole', async () => {
    const random = createRandom(39);
    const expected = await statementsOf(dialect, plain);
    for (let at = 0; at < casesOf(60); at += 1) {
      const names = hostileNames(random, dialect);
      let statements = await statementsOf(dialect, names);
      for (const part of parts) {
        const [hostile, harmless] = [quotes[dialect](names[part]), quotes[dialect](plain[part])];
        statements = statements.map((sql) => sql.split(hostile).join(harmless));
      }
      // the columns of an insert are in the order of their names
      const inOrder = (all: readonly string[]): string[] =>
        all.map((sql) =>
          sql.includes('insert into')
            ? sql
                .split(/[\s,()]+/)
                .sort()
                .join(' ')
            : sql,
        );
      expect({ names, sql: inOrder(statements) }).toEqual({ names, sql: inOrder(expected) });
    }
  });
});

it('a quotation mark in a name for Oracle is refused at each place of the metadata', () => {
  for (const part of parts) {
    const names = { ...plain, [part]: `T" WHERE 1=1 --` };
    expect(() => metadataOf('oracle', names)).toThrow('Oracle has no name with a quotation mark');
    for (const dialect of dialects) if (dialect !== 'oracle') metadataOf(dialect, names);
  }
});

describe.each(Object.keys(testSources) as TestedDatabase[])('a table with hostile names in %s', (name) => {
  const { open, missing } = testSources[name];
  const leftover: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const step of leftover.toReversed()) await step();
  });

  testOn(missing)('is written and read', async () => {
    const source: TestSource = await open();
    leftover.push(source.dispose);
    const random = createRandom(40);
    const dialect: Dialect = name === 'PostgreSQL' ? 'postgresql' : name === 'MariaDB' ? 'mysql' : 'sqlite';
    const quote = quotes[dialect];
    const columnType = dialect === 'mysql' ? 'varchar(50)' : 'text';
    const time = dialect === 'mysql' ? 'datetime(6)' : dialect === 'sqlite' ? 'text' : 'timestamptz';
    for (let at = 0; at < casesOf(12); at += 1) {
      // MariaDB takes no character beyond the basic plane, and PostgreSQL cuts a name after 63 bytes
      const short = (text: string): string => text.replaceAll('😀', '').slice(-15);
      const names = hostileNames(random, dialect);
      const [table, key, data, changed] = [names.table, names.key, names.data, names.changed].map(short) as [
        string,
        string,
        string,
        string,
      ];
      await source.run(
        `CREATE TABLE ${quote(table)} (${quote(key)} ${columnType} PRIMARY KEY, ${quote(data)} ${columnType}, ${quote(changed)} ${time})`,
      );
      const metadata = parseAdaptorMetadata({
        databases: { main: { type: 'JDBC', properties: source.properties } },
        tables: [
          {
            domain: 'thing',
            version: 1,
            primaryKeySpecs: [{ type: 'DOMAIN', [key]: { columnType: 'STRING' } }],
            timestampSpec: { columnName: changed, type: 'TIMESTAMP' },
            dataColumns: {
              [key]: { source: 'key', columnType: 'STRING' },
              [data]: { source: 'data', columnType: 'STRING' },
            },
            dataSource: { name: 'main', tableName: table },
          },
        ],
      });
      const [[, database] = []] = [...metadata.databases];
      const [first] = metadata.tables;
      if (database === undefined || first === undefined) throw new Error('no table');
      const connection = openKnex(database);
      const sourceTable: SourceTable = createSourceTable(connection, first, dialect);
      try {
        await sourceTable.transaction((rows) => rows.insert({ [key]: 'a', [data]: 'b' }));
        const read = async (): Promise<unknown> => {
          const { rows } = await sourceTable.scan({ from: 0n, until: undefined, after: undefined, limit: 10 });
          return rows.map(({ record }) => record);
        };
        expect(await read()).toEqual([{ key: 'a', data: 'b' }]);
        expect(await sourceTable.existing([['a']])).toEqual(new Set(['["a"]']));
        await sourceTable.together?.(async (rows) => {
          await rows.insertAll(['c', 'd'].map((id) => ({ [key]: id, [data]: 'new' })));
          expect(await rows.findAll([{ [key]: 'a' }, { [key]: 'c' }])).toHaveLength(2);
          await rows.updateAll([['a'], ['c']].map((id) => ({ key: id, values: { [data]: `${id[0]}'\\"` } })));
          await rows.deleteAll([['d'], ['e']]);
        });
        expect(new Set((await read()) as unknown[])).toEqual(
          new Set(['a', 'c'].map((id) => ({ key: id, data: `${id}'\\"` }))),
        );
      } finally {
        await connection.destroy();
      }
    }
  });
});
