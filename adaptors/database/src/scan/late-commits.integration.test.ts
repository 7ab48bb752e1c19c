import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestSource } from '../testing/test-sources.js';

const role = `fds_reader_${randomUUID().replaceAll('-', '')}`;

const cases = {
  'PostgreSQL, whose transactions the user sees': { name: 'PostgreSQL', user: undefined },
  'PostgreSQL, whose transactions the user does not see': { name: 'PostgreSQL', user: role },
  MariaDB: { name: 'MariaDB', user: undefined },
} as const;

const types = {
  PostgreSQL: { text: 'text', moment: 'timestamptz', now: 'now()' },
  MariaDB: { text: 'varchar(20)', moment: 'datetime(6)', now: 'utc_timestamp(6)' },
} as const;

describe.each(Object.entries(cases))('transactions of %s that commit late', (_, { name, user }) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const { text, moment, now } = types[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-late-'));
  const stateFile = join(folder, 'state.sqlite');
  let source: TestSource;
  let played: PlayedTable;

  const play = (): PlayedTable =>
    playTable({
      properties: {
        ...source.properties,
        ...(user === undefined ? {} : { 'dataSource.user': user, 'dataSource.password': 'reader' }),
      },
      table: {
        ...tableOfTexts(['id', 'label']),
        // without it, a change that commits soon would be found in any case
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', overlapMilliseconds: 0 },
        scanOptions: { scanIntervalMilliseconds: 20 },
      },
      stateFile,
      drKeyProperties: ['id'],
    });

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(`CREATE TABLE t (id ${text} PRIMARY KEY, label ${text}, changed ${moment})`);
    if (user !== undefined) {
      await source.run(
        `CREATE ROLE ${user} LOGIN PASSWORD 'reader'`,
        `GRANT SELECT, INSERT ON t TO ${user}`,
        `GRANT USAGE ON SCHEMA public TO ${user}`,
      );
    }
    await source.run(`INSERT INTO t VALUES ('a', 'old', ${now}), ('b', 'old', ${now})`);
    played = play();
  }, 60_000);
  afterAll(async () => {
    await played?.stop();
    if (user !== undefined) await source?.run(`DROP OWNED BY ${user}`, `DROP ROLE ${user}`);
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const told = (): string[] =>
    played.published.map(({ json }) => `${json?.['id'] as string} ${json?.['label'] as string}`);
  /** Another session commits a row, and the scan has read it: its position would be behind it. */
  const passWith = async (id: string): Promise<void> => {
    await played.connection.raw(`INSERT INTO t VALUES ('${id}', 'new', ${now})`);
    await eventually(() => expect(told()).toContain(`${id} new`));
  };

  check('are found, however long they are open', async () => {
    await eventually(() => expect(told()).toEqual(['a old', 'b old']));
    await passWith('first');
    await source.run('BEGIN', `UPDATE t SET label = 'late', changed = ${now} WHERE id = 'a'`);
    await passWith('second');
    await passWith('third');
    await source.run('COMMIT');
    await eventually(() => expect(told()).toContain('a late'));
    expect(told().filter((row) => row === 'second new')).toHaveLength(1);
  });

  check('are looked for, with the time of the database, by one statement of a scan', async () => {
    const statements: string[] = [];
    played.connection.on('query', ({ sql }: { readonly sql: string }) => void statements.push(sql));
    await passWith('counted');
    const looks = statements.filter((sql) => sql.includes('AS moment'));
    expect(looks.length).toBeGreaterThan(0);
    // each look has both, and nothing else asks for the time
    expect(statements.filter((sql) => / as moment/iu.test(sql) && !sql.includes('AS writer'))).toEqual([]);
  });

  check('are found after a restart of the adaptor', async () => {
    await source.run('BEGIN', `UPDATE t SET label = 'later', changed = ${now} WHERE id = 'b'`);
    await passWith('fourth');
    await played.stop();
    played = play();
    await passWith('fifth');
    await source.run('COMMIT');
    await eventually(() => expect(told()).toContain('b later'));
    expect(told()).toEqual(['fifth new', 'b later']);
  });
});

describe('a database that does not show its transactions', () => {
  testOn(undefined)('is not asked for its time by a scan', async () => {
    const { open } = testSources.SQLite;
    const source = await open();
    const folder = mkdtempSync(join(tmpdir(), 'fds-late-'));
    await source.run('CREATE TABLE t (id text PRIMARY KEY, label text, changed text)');
    const played = playTable({
      properties: source.properties,
      table: {
        ...tableOfTexts(['id', 'label']),
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        scanOptions: { scanIntervalMilliseconds: 20 },
      },
      stateFile: join(folder, 'state.sqlite'),
      drKeyProperties: ['id'],
    });
    try {
      const statements: string[] = [];
      played.connection.on('query', ({ sql }: { readonly sql: string }) => void statements.push(sql));
      await source.run(`INSERT INTO t VALUES ('a', 'new', '2026-01-01 00:00:00')`);
      await eventually(() => expect(played.published).toHaveLength(1));
      expect(statements.some((sql) => sql.includes('moment'))).toBe(false);
    } finally {
      await played.stop();
      await source.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
