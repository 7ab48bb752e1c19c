import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { Applied } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent, refusalOf } from '../testing/incoming-event.js';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { describeOn, testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

/** A database that lets an update or a deletion do nothing, without an error of the statement. */
interface Idle {
  readonly ddl: readonly string[];
  /** Statements after the row was written. */
  readonly begin: readonly string[];
  /** Statements that let the event have its effect. */
  readonly end: readonly string[];
  readonly action: 'PUT' | 'DELETE';
  readonly title: RegExp;
}

const user = `fds_idle_${randomUUID().replaceAll('-', '')}`;
const policies = (of: 'UPDATE' | 'ALL'): readonly string[] => [
  'ALTER TABLE t ENABLE ROW LEVEL SECURITY',
  'CREATE POLICY p_read ON t FOR SELECT USING (true)',
  `CREATE POLICY p_write ON t FOR ${of} USING (id <> 'a')`,
];
const plain = 'CREATE TABLE t (id text PRIMARY KEY, v text)';
const granted = `GRANT ALL ON t TO ${user}`;

const idle: Readonly<Record<string, Idle>> = {
  'a view that reports a deletion': {
    ddl: [
      'CREATE TABLE base (id text PRIMARY KEY, v text)',
      'CREATE VIEW t AS SELECT * FROM base',
      'CREATE FUNCTION idle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$',
      granted,
    ],
    begin: ['CREATE TRIGGER r INSTEAD OF DELETE ON t FOR EACH ROW EXECUTE FUNCTION idle()'],
    end: ['DROP TRIGGER r ON t'],
    action: 'DELETE',
    title: /did not take over the record: the row still exists/,
  },
  'a policy that hides the row from updates': {
    ddl: [plain, granted],
    begin: policies('UPDATE'),
    end: ['ALTER TABLE t DISABLE ROW LEVEL SECURITY'],
    action: 'PUT',
    title: /the row exists, but the adaptor may not lock it/,
  },
  'a policy that hides the row from deletions': {
    ddl: [plain, granted],
    begin: policies('ALL'),
    end: ['ALTER TABLE t DISABLE ROW LEVEL SECURITY'],
    action: 'DELETE',
    title: /the row exists, but the adaptor may not lock it/,
  },
};

/** Statements of another program that keep an event waiting, and those that end it. */
const locks: Readonly<Partial<Record<TestedDatabase, readonly [begin: readonly string[], end: readonly string[]]>>> = {
  PostgreSQL: [['BEGIN', 'LOCK TABLE t IN ACCESS EXCLUSIVE MODE'], ['ROLLBACK']],
  MariaDB: [['LOCK TABLES t WRITE'], ['UNLOCK TABLES']],
};

const folder = mkdtempSync(join(tmpdir(), 'fds-idle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const play = (properties: TestSource['properties'], scanOptions = {}): PlayedTable =>
  playTable({
    properties,
    table: { ...tableOfTexts(['id', 'v']), scanOptions },
    stateFile: join(folder, `${randomUUID()}.sqlite`),
    drKeyProperties: ['id'],
    scans: false,
  });
const send = (
  { handler }: PlayedTable,
  drUuid: string,
  action: 'POST' | 'PUT' | 'DELETE',
  json: JsonObject,
): Promise<Applied> => handler.apply(incomingEvent('a', { action, drUuid, json, changed: Object.keys(json) }));

describeOn(testSources.PostgreSQL.missing)('PostgreSQL does nothing by', () => {
  let source: TestSource;
  beforeAll(async () => {
    source = await testSources.PostgreSQL.open();
    await source.run(`CREATE ROLE ${user} LOGIN PASSWORD 'idle'`);
  });
  afterAll(async () => {
    await source?.run(`DROP OWNED BY ${user}`, `DROP ROLE ${user}`);
    await source?.dispose();
  });

  it.each(Object.entries(idle))('%s: the event fails', async (_, { ddl, begin, end, action, title }) => {
    await source.run(
      'DROP SCHEMA public CASCADE',
      'CREATE SCHEMA public',
      `GRANT USAGE ON SCHEMA public TO ${user}`,
      ...ddl,
    );
    const played = play(
      { ...source.properties, 'dataSource.user': user, 'dataSource.password': 'idle' },
      { enableDeletionScan: true },
    );
    const drUuid = randomUUID();
    const json = action === 'DELETE' ? {} : { id: 'a', v: 'new' };
    try {
      await send(played, drUuid, 'POST', { id: 'a', v: 'old' });
      await source.run(...begin);
      const error = await refusalOf(send(played, drUuid, action, json));
      expect(error).toMatchObject({ kind: 'DATA', retry: 'NEVER', title: expect.stringMatching(title) });
      expect(await played.connection('t').select('v')).toEqual([{ v: 'old' }]);
      await source.run(...end);
      await send(played, drUuid, action, json);
      expect(await played.connection('t').select('v')).toEqual(action === 'DELETE' ? [] : [{ v: 'new' }]);
    } finally {
      await played.stop();
    }
  });
});

for (const [name, statements] of Object.entries(locks)) {
  const { open, missing } = testSources[name as TestedDatabase];
  testOn(missing)(
    `${name}: an event gives up a lock that lasts, and its connection`,
    async () => {
      const source = await open();
      await source.run('CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40))');
      const played = play(source.properties);
      const drUuid = randomUUID();
      try {
        await send(played, drUuid, 'POST', { id: 'a', v: 'old' });
        await source.run(...statements[0]);
        const error = await refusalOf(send(played, drUuid, 'PUT', { id: 'a', v: 'new' }));
        expect(error).toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
        await source.run(...statements[1]);
        await send(played, drUuid, 'PUT', { id: 'a', v: 'new' });
        expect(await played.connection('t').select('v')).toEqual([{ v: 'new' }]);
      } finally {
        await played.stop();
        await source.dispose();
      }
    },
    60_000,
  );
}
