import { afterAll, describe, expect } from '@jest/globals';
import type { Applied } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const user = `fds_reader_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const password = 'reader';

/** How the connections of a user become read-only, so that only new ones can write again. */
interface ReadOnly {
  readonly account: readonly string[];
  readonly begin: readonly string[];
  readonly end: readonly string[];
}
const ways: Readonly<Record<Exclude<TestedDatabase, 'SQLite'>, ReadOnly>> = {
  PostgreSQL: {
    account: [`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`, `GRANT ALL ON t TO ${user}`],
    begin: [`ALTER ROLE ${user} SET default_transaction_read_only = on`],
    end: [`ALTER ROLE ${user} RESET default_transaction_read_only`],
  },
  MariaDB: {
    account: [`CREATE USER ${user} IDENTIFIED BY '${password}'`, `GRANT ALL ON crm.* TO ${user}`],
    begin: ['SET GLOBAL tx_read_only = 1'],
    end: ['SET GLOBAL tx_read_only = 0'],
  },
};

const folder = mkdtempSync(join(tmpdir(), 'fds-read-only-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.keys(testSources) as TestedDatabase[])('a connection to %s that takes no writes', (name) => {
  const play = ({ properties }: TestSource, account: Readonly<Record<string, string>>): PlayedTable =>
    playTable({
      properties: { ...properties, ...account, maximumPoolSize: '2' },
      table: tableOfTexts(['id']),
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
      scans: false,
    });
  const post = ({ handler }: PlayedTable, id: string): Promise<Applied> =>
    handler.apply(incomingEvent(id, { action: 'POST', json: { id } }));

  testOn(testSources[name].missing)('lets the event wait, and is replaced by one that does', async () => {
    const source = await testSources[name].open();
    let played: PlayedTable | undefined;
    try {
      await source.run(`CREATE TABLE t (id ${name === 'SQLite' ? 'TEXT' : 'varchar(40)'} PRIMARY KEY)`);
      if (name === 'SQLite') {
        played = play(source, {});
        await post(played, 'before');
        await played.connection.raw('PRAGMA query_only = 1');
      } else {
        const { account, begin, end } = ways[name];
        await source.run(...account, ...begin);
        played = play(source, { 'dataSource.user': user, 'dataSource.password': password });
        // opens the connections
        await Promise.all([played.connection('t').select(), played.connection('t').select()]);
        await source.run(...end);
      }
      const used = played;
      await expect(post(used, 'a')).rejects.toMatchObject({ kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' });
      expect(used.handler.health).toBe('DOWN');
      // at most the other connection is of the former kind
      await eventually(() => post(used, 'a'), { deadlineMs: 5_000, intervalMs: 10 });
      expect(await used.connection('t').where({ id: 'a' })).toHaveLength(1);
      expect(used.handler.health).toBe('UP');
    } finally {
      await played?.stop();
      if (name === 'PostgreSQL') await source.run(`DROP OWNED BY ${user}`, `DROP ROLE ${user}`);
      await source.dispose();
    }
  });
});
