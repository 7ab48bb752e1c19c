import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { OutgoingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore } from '../../state/open-file-store.js';
import { playTable, type PlayedTable } from '../../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../../testing/test-sources.js';

interface Rewriting {
  readonly ddl: readonly string[];
  /** Statements that give each row other values without an entry for the row in the log. */
  readonly rewrites: Readonly<Record<string, readonly string[]>>;
  /** Statements that rewrite the table and leave its content unchanged. */
  readonly keeps: readonly string[];
  /** A statement that changes `other` in each row. */
  shift(value: number): string;
  readonly drop: readonly string[];
}

const rewriting: Readonly<Record<'PostgreSQL' | 'MariaDB', Rewriting>> = {
  PostgreSQL: {
    ddl: [
      `CREATE TYPE mood AS ENUM ('a', 'b')`,
      `CREATE TABLE whole (id int PRIMARY KEY, c int, other int DEFAULT 0, n int DEFAULT 1,
        doubled int GENERATED ALWAYS AS (n * 2) STORED, m mood DEFAULT 'a') PARTITION BY RANGE (id)`,
      'CREATE TABLE t PARTITION OF whole FOR VALUES FROM (0) TO (100)',
    ],
    rewrites: {
      'another type': ['ALTER TABLE whole ALTER COLUMN c TYPE bigint USING c + 1'],
      'another expression': ['ALTER TABLE whole ALTER COLUMN doubled SET EXPRESSION AS (n * 3)'],
      'a new column with the former name': [
        'ALTER TABLE whole DROP COLUMN other, ADD COLUMN other int NOT NULL DEFAULT 9',
      ],
      'columns that exchange their names': [
        'BEGIN',
        'ALTER TABLE whole RENAME c TO x',
        'ALTER TABLE whole RENAME other TO c',
        'ALTER TABLE whole RENAME x TO other',
        'COMMIT',
      ],
      'another label of an enum': [`ALTER TYPE mood RENAME VALUE 'a' TO 'c'`],
    },
    keeps: ['VACUUM FULL t', 'CLUSTER t USING t_pkey', 'ALTER TABLE whole ADD COLUMN more int DEFAULT 1'],
    shift: (value) => `ALTER TABLE whole ALTER COLUMN other TYPE numeric USING other + ${value}`,
    drop: ['DROP TABLE IF EXISTS whole', 'DROP TYPE IF EXISTS mood'],
  },
  MariaDB: {
    ddl: [
      `CREATE TABLE t (id int PRIMARY KEY, c int, other int DEFAULT 0, n int DEFAULT 1, doubled int AS (n * 2) STORED,
        m enum ('a', 'b') DEFAULT 'a')`,
    ],
    rewrites: {
      'another expression': ['ALTER TABLE t MODIFY doubled int AS (n * 3) STORED'],
      'a new column with the former name': ['ALTER TABLE t DROP COLUMN other, ADD COLUMN other int NOT NULL DEFAULT 9'],
      'columns that exchange their names': ['ALTER TABLE t CHANGE c other int, CHANGE other c int'],
    },
    keeps: ['OPTIMIZE TABLE t', 'ALTER TABLE t ENGINE = InnoDB', 'ALTER TABLE t ADD COLUMN more int DEFAULT 1'],
    shift: (value) => `ALTER TABLE t DROP COLUMN other, ADD COLUMN other int NOT NULL DEFAULT ${value}`,
    drop: ['DROP TABLE IF EXISTS t'],
  },
};

const columns = ['id', 'c', 'other', 'doubled', 'm'];

describe.each(Object.keys(rewriting) as (keyof typeof rewriting)[])('tables of %s that are rewritten', (name) => {
  const { open, missing } = testSources[name satisfies TestedDatabase];
  const check = testOn(missing);
  const { ddl, rewrites, keeps, shift, drop } = rewriting[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-rewritten-'));
  const adaptorUuid = randomUUID();
  let stateFile = '';
  let source: TestSource;
  let playing: PlayedTable[] = [];

  const play = (publish?: (event: OutgoingEvent) => Promise<void>): PlayedTable => {
    const played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
        dataColumns: Object.fromEntries(
          columns.map((column) => [column, { source: column, columnType: column === 'm' ? 'STRING' : 'LONG' }]),
        ),
        dataSource: { tableName: 't' },
        scanMethod: 'LOG',
        scanOptions: { maxBatchSize: 2 },
      },
      stateFile,
      adaptorUuid,
      drKeyProperties: ['id'],
      ...(publish === undefined ? {} : { publish }),
    });
    playing.push(played);
    return played;
  };
  /** The content of the table. */
  const rows = async ({ connection }: PlayedTable): Promise<unknown[]> => {
    const found: Record<string, unknown>[] = await connection('t').select(columns).orderBy('id');
    // the drivers return some numbers as texts
    return found.map((row) =>
      Object.fromEntries(columns.map((column) => [column, column === 'm' ? row[column] : Number(row[column])])),
    );
  };
  /** The rows that the hub has: the last report of each row, without deleted ones. */
  const hub = new Map<number, unknown>();
  const take = ({ published }: PlayedTable): unknown[] => {
    for (const { action, json, drKey } of published.splice(0)) {
      if (action === 'DELETE') hub.delete(Number(drKey?.['id']));
      else hub.set(Number(json?.['id']), json);
    }
    return [...hub].sort(([one], [other]) => one - other).map(([, json]) => json);
  };
  const untilEqual = (played: PlayedTable): Promise<void> =>
    eventually(async () => expect(take(played)).toEqual(await rows(played)));
  const mark = async (): Promise<string | undefined> => {
    const store = openFileStore(stateFile);
    try {
      return await store.table('thing', 1).scannedLog();
    } finally {
      await store.close();
    }
  };

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
  });
  beforeEach(async () => {
    if (missing !== undefined) return;
    await source.run(...drop, ...ddl, 'INSERT INTO t (id, c) VALUES (1, 10), (2, 20), (3, 30)');
    stateFile = join(folder, `${randomUUID()}.sqlite`);
    hub.clear();
  });
  afterEach(async () => {
    for (const { stop } of playing) await stop();
    playing = [];
  });
  afterAll(async () => {
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [what, statements] of Object.entries(rewrites)) {
    check(`are compared while the log is read: ${what}`, async () => {
      const played = play();
      await untilEqual(played);
      const before = await rows(played);
      await source.run(...statements);
      expect(await rows(played)).not.toEqual(before);
      await untilEqual(played);
    });
  }

  check('are compared after a start, if it happened while the adaptor was stopped', async () => {
    const first = play();
    await untilEqual(first);
    await first.stop();
    for (const value of [5, 6]) {
      await source.run(shift(value));
      const played = play();
      await untilEqual(played);
      await played.stop();
    }
  });

  check('are compared to the end after a stop that cut the comparison short', async () => {
    const stopping: Promise<void>[] = [];
    const cut = play(async ({ action }) => {
      if (action === 'PUT' && stopping.length === 0) stopping.push(cut.stop());
    });
    await untilEqual(cut);
    await source.run(shift(7));
    await eventually(() => expect(stopping).toHaveLength(1));
    await stopping[0];
    // one batch of two rows was reported
    expect(cut.published.length).toBeLessThan(3);
    take(cut);
    await untilEqual(play());
  });

  check('are not reported if their content is the same', async () => {
    const played = play();
    await untilEqual(played);
    const before = await mark();
    for (const statement of keeps) await source.run(statement);
    // the comparison has run to its end
    await eventually(async () => expect(await mark()).not.toBe(before));
    await source.run('UPDATE t SET c = c + 1 WHERE id = 1');
    await eventually(() => expect(played.published.length).toBeGreaterThan(0));
    expect(played.published.map(({ action, json }) => [action, json?.['id']])).toEqual([['PUT', 1]]);
    await untilEqual(played);
  });

  check('lose their rows by TRUNCATE, and their new rows arrive', async () => {
    const played = play();
    await untilEqual(played);
    await source.run('TRUNCATE TABLE t');
    await eventually(() => expect(take(played)).toEqual([]));
    await source.run('INSERT INTO t (id, c) VALUES (4, 1)');
    await untilEqual(played);
  });
});
