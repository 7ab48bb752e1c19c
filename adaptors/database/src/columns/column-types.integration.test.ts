import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringifyJson } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columnReadings, tableForms } from '../testing/column-types.js';
import { playTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const folder = mkdtempSync(join(tmpdir(), 'fds-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const changed: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'timestamptz DEFAULT now()',
  MariaDB: 'datetime(6) DEFAULT utc_timestamp(6)',
  SQLite: `TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))`,
};

const databases = Object.keys(testSources) as TestedDatabase[];
const timestampSpec = { columnName: 'changed', type: 'TIMESTAMP' };

describe.each(databases)('column types of %s', (name) => {
  const { open, missing, methods } = testSources[name];
  const readings = columnReadings[name];
  let source: TestSource;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    const columns = readings.map(({ type }, at) => `v${at} ${type}`).join(', ');
    await source.run(`CREATE TABLE typed (id int PRIMARY KEY, ${columns}, changed ${changed[name]})`);
    if (name === 'MariaDB') await source.run(`SET SESSION sql_mode = ''`);
    for (const [at, { stored }] of readings.entries())
      await source.run(`INSERT INTO typed (id, v${at}) VALUES (${at}, ${stored})`);
  });
  afterAll(() => source?.dispose());

  for (const scanMethod of methods)
    testOn(missing)(`are read as the table says, by ${scanMethod}`, async () => {
      const { published, reported, stop, sources } = playTable({
        properties: source.properties,
        table: {
          primaryKeySpecs: [{ type: 'LOCAL_AUTO', id: { columnType: 'LONG' } }],
          dataColumns: Object.fromEntries([
            ['id', { source: 'id', columnType: 'LONG' }],
            ...readings.map(({ columnType }, at) => [`v${at}`, { source: `v${at}`, columnType }]),
          ]),
          timestampSpec,
          dataSource: { tableName: 'typed' },
          scanMethod,
          scanOptions: { scanIntervalMilliseconds: 100 },
        },
        stateFile: join(folder, `${randomUUID()}.sqlite`),
        drKeyProperties: ['id'],
      });
      try {
        await eventually(() => expect(published.length + reported.length).toBe(readings.length));
        expect(sources.size).toBe(0);
        const seen = readings.map(({ type, columnType, stored }, at) => {
          const json = published.find((event) => event.json?.['id'] === at)?.json;
          const fault = reported.find(({ message }) => message.includes(`["${at}"]`));
          expect(fault === undefined ? json : fault.message).toBeDefined();
          return { type, columnType, stored, read: fault === undefined ? json?.[`v${at}`] : undefined };
        });
        expect(seen).toEqual(readings);
      } finally {
        await stop();
      }
    });
});

describe.each(Object.keys(tableForms) as (keyof typeof tableForms)[])('forms of tables in %s', (name) => {
  const { open, missing } = testSources[name];
  let source: TestSource;
  let made = 0;
  beforeAll(async () => {
    if (missing === undefined) source = await open();
  });
  afterAll(() => source?.dispose());

  for (const { form, ddl, log } of tableForms[name])
    testOn(missing)(`a ${form} is read as the table says`, async () => {
      made += 1;
      const schema = `form_${made}`;
      await source.run(
        `CREATE SCHEMA ${schema}`,
        name === 'PostgreSQL' ? `SET search_path TO ${schema}` : `USE ${schema}`,
        ...ddl,
      );
      const adaptorUuid = randomUUID();
      const { published, sources, stop } = playTable({
        properties: source.properties,
        table: {
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
          dataColumns: { id: { source: 'id', columnType: 'LONG' }, v: { source: 'v', columnType: 'STRING' } },
          timestampSpec,
          dataSource: { schema, tableName: 'form' },
          scanMethod: 'LOG',
          scanOptions: { scanIntervalMilliseconds: 100 },
        },
        stateFile: join(folder, `${randomUUID()}.sqlite`),
        adaptorUuid,
        drKeyProperties: ['id'],
      });
      try {
        await eventually(() => expect(published.map(({ json }) => json)).toEqual([{ id: 1, v: 'a' }]));
        expect(sources.has('thing:1 log')).toBe(log !== 'LOG');
      } finally {
        await stop();
      }
    });
});

describe('the page of column types', () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../../docs/reference/database-column-types.md', import.meta.url)),
    'utf8',
  );
  /** Cells of the rows below a heading of the page. */
  const rowsBelow = (heading: string): string[][] => {
    const [, section = ''] = page.split(`\n${heading}\n`);
    return (section.split('\n#')[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  };
  const code = (text: string): string => `\`${text}\``;

  it.each(databases)('shows the value of each column type of %s', (name) => {
    expect(rowsBelow(`## ${name}`)).toEqual(
      columnReadings[name].map(({ type, columnType, stored, read }) => [
        code(type),
        code(columnType),
        code(stored),
        read === undefined ? 'data issue' : code(stringifyJson([read]).slice(1, -1)),
      ]),
    );
  });

  it.each(Object.keys(tableForms) as (keyof typeof tableForms)[])(
    'shows how each form of table in %s is read',
    (name) => {
      expect(rowsBelow(`### Forms of tables in ${name}`)).toEqual(tableForms[name].map(({ form, log }) => [form, log]));
    },
  );
});
