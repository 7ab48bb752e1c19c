import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { AdaptorError } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

interface Unreadable {
  readonly ddl: string;
  /** Makes rows unreadable, each in another way: the key and the new value of a column. */
  readonly faults: Readonly<Record<string, string>>;
}

const now = {
  PostgreSQL: 'now()',
  MariaDB: 'utc_timestamp(6)',
  SQLite: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
};

const unreadable: Readonly<Record<TestedDatabase, Unreadable>> = {
  PostgreSQL: {
    ddl: `CREATE TABLE gl (id text PRIMARY KEY, num numeric, factor float8, day date, at timestamp, more text,
      changed timestamptz DEFAULT now())`,
    faults: {
      nan: `num = 'NaN'`,
      infinite: `num = 'Infinity'`,
      digits: 'num = 0.12345678901234567890',
      factor: `factor = '-Infinity'`,
      day: `day = 'infinity'`,
      time: `at = '0044-03-15 00:00:00 BC'`,
      json: `more = '{'`,
    },
  },
  MariaDB: {
    ddl: `CREATE TABLE gl (id varchar(20) PRIMARY KEY, num decimal(40, 20), factor double, day date, at datetime(6), more text,
      changed datetime(6) DEFAULT utc_timestamp(6))`,
    faults: {
      digits: 'num = 0.12345678901234567890',
      day: `day = '0000-00-00'`,
      month: `day = '2026-00-10'`,
      time: `at = '0000-00-00 00:00:00'`,
      json: `more = '{'`,
    },
  },
  SQLite: {
    ddl: `CREATE TABLE gl (id TEXT PRIMARY KEY, num TEXT, factor REAL, day TEXT, at TEXT, more TEXT,
      changed TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')))`,
    faults: {
      digits: `num = '0.12345678901234567890'`,
      bytes: `num = x'00ff'`,
      infinite: 'factor = 9e999',
      day: `day = '2026-02-30'`,
      time: `at = 'soon'`,
      json: `more = '[1e400]'`,
    },
  },
};

const read = Object.entries(testSources).flatMap(([name, { methods }]) =>
  methods.map((method) => [name as TestedDatabase, method] as const),
);

describe.each(read)('rows of %s that can no longer be read, by %s', (name, scanMethod) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const { ddl, faults } = unreadable[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-unreadable-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(ddl);
    if (name === 'MariaDB') await source.run(`SET SESSION sql_mode = ''`);
    played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        dataColumns: {
          id: { source: 'id', columnType: 'STRING' },
          num: { source: 'num', columnType: 'DECIMAL' },
          factor: { source: 'factor', columnType: 'DOUBLE' },
          day: { source: 'day', columnType: 'LOCAL_DATE' },
          at: { source: 'at', columnType: 'TIMESTAMP' },
          more: { source: 'more', columnType: 'JSON' },
        },
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'gl' },
        scanMethod,
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 100 },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
    });
  });
  afterAll(async () => {
    await played?.stop();
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const told = (): string[] =>
    played.published.map(({ action, json, drKey }) => `${action} ${(json ?? drKey)?.['id'] as string}`).sort();
  const errorOf = (key: string): AdaptorError | undefined =>
    played.reported.find(({ message }) => message.includes(JSON.stringify([key])));
  const faultOf = (key: string): string | undefined => errorOf(key)?.message;

  check('stay linked, and their deletion is reported', async () => {
    const keys = Object.keys(faults);
    for (const key of keys) await source.run(`INSERT INTO gl (id) VALUES ('${key}')`);
    await eventually(() => expect(told()).toEqual(keys.map((key) => `POST ${key}`).sort()));
    for (const [key, fault] of Object.entries(faults))
      await source.run(`UPDATE gl SET ${fault}, changed = ${now[name]} WHERE id = '${key}'`);
    await eventually(() => expect(keys.filter((key) => faultOf(key) === undefined)).toEqual([]));
    // the next event of the row closes the issue, so the row is named
    for (const key of keys) {
      const [column] = (faults[key] ?? '').split(' = ');
      expect(errorOf(key)).toMatchObject({
        level: 'ERROR',
        kind: 'DATA',
        title: expect.stringMatching(new RegExp(`^A row cannot be read: ${column} `)),
        properties: [column],
        domain: 'thing',
        version: 1,
        drKey: { id: key },
      });
    }
    await source.run('DELETE FROM gl');
    await eventually(() =>
      expect(told()).toEqual([...keys.map((key) => `DELETE ${key}`), ...keys.map((key) => `POST ${key}`)].sort()),
    );
  });

  check('are reported once they are repaired, also with their former content', async () => {
    const keys = Object.keys(faults);
    played.published.length = 0;
    played.reported.length = 0;
    for (const key of keys) await source.run(`INSERT INTO gl (id) VALUES ('${key}')`);
    await eventually(() => expect(told()).toEqual(keys.map((key) => `POST ${key}`).sort()));
    const empty = { num: null, factor: null, day: null, at: null, more: null };
    for (const [key, fault] of Object.entries(faults))
      await source.run(`UPDATE gl SET ${fault}, changed = ${now[name]} WHERE id = '${key}'`);
    await eventually(() => expect(keys.filter((key) => faultOf(key) === undefined)).toEqual([]));
    played.published.length = 0;
    await source.run(
      `UPDATE gl SET num = NULL, factor = NULL, day = NULL, at = NULL, more = NULL, changed = ${now[name]}`,
    );
    await eventually(() => expect(told()).toEqual(keys.map((key) => `PUT ${key}`).sort()));
    expect(played.published.map(({ json }) => json)).toEqual(
      played.published.map(({ json }) => ({ ...empty, id: json?.['id'] })),
    );
    await source.run('DELETE FROM gl');
    await eventually(() => expect(told()).toHaveLength(2 * keys.length));
  });

  check('need no deletion if they were never reported, and are new once they are repaired', async () => {
    played.published.length = 0;
    for (const [key, fault] of Object.entries(faults)) {
      const [column, value] = fault.split(' = ');
      await source.run(`INSERT INTO gl (id, ${column}) VALUES ('new ${key}', ${value})`);
    }
    await eventually(() =>
      expect(Object.keys(faults).filter((key) => faultOf(`new ${key}`) === undefined)).toEqual([]),
    );
    played.published.length = 0;
    const [gone, ...kept] = Object.keys(faults);
    await source.run(`DELETE FROM gl WHERE id = 'new ${gone}'`);
    await source.run(
      `UPDATE gl SET num = 1, factor = NULL, day = NULL, at = NULL, more = NULL, changed = ${now[name]}`,
    );
    await eventually(() => expect(told()).toEqual(kept.map((key) => `POST new ${key}`).sort()));
  });
});
