import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const types: Readonly<Record<TestedDatabase, readonly [text: string, moment: string, now: string]>> = {
  PostgreSQL: ['text', 'timestamptz DEFAULT now()', 'now()'],
  MariaDB: ['varchar(20) COLLATE utf8mb4_nopad_bin', 'datetime(6) DEFAULT utc_timestamp(6)', 'utc_timestamp(6)'],
  SQLite: ['TEXT', `TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))`, `strftime('%Y-%m-%d %H:%M:%f', 'now')`],
};

const read = Object.entries(testSources).flatMap(([name, { methods }]) =>
  methods.map((method) => [name as TestedDatabase, method] as const),
);

describe.each(read)('rows of %s with the same key, by %s', (name, scanMethod) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const [text, moment, now] = types[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-twins-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(`CREATE TABLE t (id ${text}, label ${text}, changed ${moment})`);
    if (name === 'PostgreSQL') await source.run('ALTER TABLE t REPLICA IDENTITY FULL');
    await source.run(`INSERT INTO t (id, label) VALUES ('a', '1'), ('b', '2'), ('b', '3')`);
    played = playTable({
      properties: source.properties,
      table: {
        ...tableOfTexts(['id', 'label']),
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        scanMethod,
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 50 },
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
    played.published.map(({ action, json }) => `${action} ${json?.['id'] as string} ${json?.['label'] as string}`);

  check('are one data issue, and no value of them is reported', async () => {
    await eventually(() => expect(played.reported).toHaveLength(1));
    expect(played.reported).toMatchObject([
      {
        level: 'ERROR',
        kind: 'DATA',
        title: 'A row cannot be read: other rows of the table have the same key',
        message: 't ["b"]: several rows have this key, with different contents',
        domain: 'thing',
        version: 1,
        drKey: { id: 'b' },
      },
    ]);
    // later scans read one of them, or both
    await source.run(`UPDATE t SET label = '4', changed = ${now} WHERE label = '3'`);
    for (const label of ['1', '2', '3']) {
      await source.run(`INSERT INTO t (id, label) VALUES ('c${label}', '${label}')`);
      await eventually(() => expect(told()).toContain(`POST c${label} ${label}`));
    }
    expect(told()).toEqual(['POST a 1', 'POST c1 1', 'POST c2 2', 'POST c3 3']);
  });

  check('are reported when one of them is left', async () => {
    await source.run(`DELETE FROM t WHERE label = '2' AND id = 'b'`, `UPDATE t SET changed = ${now} WHERE id = 'b'`);
    await eventually(() => expect(told()).toContain('POST b 4'));
  });
});
