import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const ddl: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'CREATE TABLE contact (id text PRIMARY KEY, changed timestamptz DEFAULT now())',
  MariaDB: 'CREATE TABLE contact (id varchar(20) PRIMARY KEY, changed datetime(6) DEFAULT utc_timestamp(6))',
  SQLite: `CREATE TABLE contact (id TEXT PRIMARY KEY, changed TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')))`,
};

const event = incomingEvent('new', { action: 'POST', json: { id: 'new' } });

const leftover: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of leftover.splice(0).toReversed()) await step();
});

const play = (
  { properties }: Pick<TestSource, 'properties'>,
  stateFile: string,
  more: Readonly<Record<string, unknown>> = {},
): PlayedTable => {
  const played = playTable({
    properties,
    table: {
      ...tableOfTexts(['id'], 'contact'),
      timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
      scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 50 },
      ...more,
    },
    stateFile,
    drKeyProperties: ['id'],
  });
  leftover.push(played.stop);
  return played;
};

const told = ({ published }: PlayedTable): string[] =>
  published.map(({ action, json, drKey }) => `${action} ${(json ?? drKey)?.['id'] as string}`).sort();

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-changed-'));
  leftover.push(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const read = Object.entries(testSources).flatMap(([name, { methods }]) =>
  methods.map((method) => [name as TestedDatabase, method] as const),
);

describe.each(read)('another source of %s than before, by %s', (name, scanMethod) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);

  const openSource = async (): Promise<TestSource> => {
    const source = await open();
    leftover.push(source.dispose);
    await source.run(ddl[name]);
    return source;
  };

  check('stops the table until the former one is back or the change is accepted, once', async () => {
    const stateFile = join(folderOf(), 'state.sqlite');
    const [former, other] = [await openSource(), await openSource()];
    await former.run(`INSERT INTO contact (id) VALUES ('a'), ('b')`);
    await other.run(`INSERT INTO contact (id, changed) VALUES ('c', '2020-01-01 00:00:00')`);
    const accept = { scanMethod, sourceChanged: 'ACCEPT' };

    let played = play(former, stateFile, { scanMethod });
    await eventually(() => expect(told(played)).toEqual(['POST a', 'POST b']));
    await played.stop();

    played = play(other, stateFile, { scanMethod });
    await eventually(() => expect(played.sources.get('thing:1')?.state).toBe('ERROR'));
    const [formerPath, otherPath] = [former, other].map(({ properties }) =>
      (properties['jdbcUrl'] as string).replace(/^jdbc:\w+:(\/\/)?/, ''),
    );
    const reason = played.sources.get('thing:1')?.reason ?? '';
    expect(reason).toContain(`it was ${formerPath} (`);
    expect(reason).toContain(`is now ${otherPath} (`);
    await expect(played.handler.apply(event)).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
    expect(played.published).toEqual([]);
    await played.stop();

    played = play(former, stateFile, { scanMethod });
    await former.run(`INSERT INTO contact (id) VALUES ('d')`);
    await eventually(() => expect(told(played)).toEqual(['POST d']));
    expect(played.sources.size).toBe(0);
    await played.stop();

    played = play(other, stateFile, accept);
    await eventually(() => expect(told(played)).toEqual(['DELETE a', 'DELETE b', 'DELETE d', 'POST c']));
    await played.stop();

    // the ACCEPT was for the change before
    played = play(former, stateFile, accept);
    await eventually(() => expect(played.sources.get('thing:1')?.reason).toContain('remove it, and set it again'));
    expect(played.published).toEqual([]);
    await played.stop();
    played = play(former, stateFile, { scanMethod });
    await eventually(() => expect(played.sources.get('thing:1')?.state).toBe('ERROR'));
    await played.stop();
    played = play(former, stateFile, accept);
    await eventually(() => expect(told(played)).toEqual(['DELETE c', 'POST a', 'POST b', 'POST d']));
  });
});

describe('a file of SQLite that is replaced while it is read', () => {
  it('stops the table, which continues when the file is back', async () => {
    const folder = folderOf();
    const [file, other, aside] = ['a.sqlite', 'b.sqlite', 'aside.sqlite'].map((name) => join(folder, name));
    if (file === undefined || other === undefined || aside === undefined) throw new Error('no file');
    for (const [path, id] of [
      [file, 'a'],
      [other, 'b'],
    ] as const) {
      const database = new Database(path);
      database.exec(`${ddl.SQLite}; INSERT INTO contact (id) VALUES ('${id}')`);
      database.close();
    }
    const played = play({ properties: { jdbcUrl: `jdbc:sqlite:${file}` } }, join(folder, 'state.sqlite'));
    await eventually(() => expect(told(played)).toEqual(['POST a']));
    renameSync(file, aside);
    renameSync(other, file);
    await eventually(() => expect(played.sources.get('thing:1')?.state).toBe('ERROR'));
    renameSync(aside, file);
    const database = new Database(file);
    database.exec(`INSERT INTO contact (id) VALUES ('c')`);
    database.close();
    await eventually(() => expect(told(played)).toEqual(['POST a', 'POST c']));
    expect(played.sources.size).toBe(0);
  });
});
