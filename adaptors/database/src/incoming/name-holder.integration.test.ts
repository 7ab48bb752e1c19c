import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent, refusalOf } from '../testing/incoming-event.js';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const databases: readonly TestedDatabase[] = ['PostgreSQL', 'MariaDB', 'SQLite'];

describe.each(databases)('a unique key of %s that refuses a row', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-holder-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(
      'CREATE TABLE t (id varchar(20) PRIMARY KEY, mail varchar(20), place varchar(20), UNIQUE (mail, place))',
    );
    played = playTable({
      properties: source.properties,
      table: tableOfTexts(['id', 'mail', 'place']),
      stateFile: join(folder, 'state.sqlite'),
      drKeyProperties: ['id'],
      scans: false,
    });
  }, 60_000);
  afterAll(async () => {
    await played?.stop();
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (id: string, mail: string) => incomingEvent(id, { action: 'POST', json: { id, mail, place: 'here' } });

  check('is reported with its columns and the record of the row that has the value', async () => {
    const first = post('a', 'one');
    await played.handler.apply(first);
    const refusal = await refusalOf(played.handler.apply(post('b', 'one')));
    expect(refusal).toMatchObject({ kind: 'DATA', retry: 'WHILE_OTHERS_WORK', properties: ['mail', 'place'] });
    expect(refusal.title).toBe(
      `The database refused the row: another row already has this value of mail, place. It is the row of record ${first.drUuid}`,
    );
    expect(refusal.title).not.toContain('one');
  });

  check('names no record where the row belongs to none', async () => {
    await source.run(`INSERT INTO t VALUES ('c', 'two', 'here')`);
    const refusal = await refusalOf(played.handler.apply(post('d', 'two')));
    expect(refusal.title).toBe('The database refused the row: another row already has this value of mail, place');
    await played.handler.apply(post(randomUUID().slice(0, 8), 'three'));
  });
});
