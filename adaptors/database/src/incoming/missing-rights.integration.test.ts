import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { Applied, IncomingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresqlStore } from '../state/open-postgresql-store.js';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, tableOfTexts, type PlayedTable } from '../testing/play-table.js';
import { describeOn, testOn, testSources, type TestSource } from '../testing/test-sources.js';

const databases = ['PostgreSQL', 'MariaDB'] as const;

/** Statements about the rights of a user, with the rights on the table `t` that it has. */
interface Rights {
  readonly user: string;
  readonly create: readonly string[];
  readonly drop: readonly string[];
}

const password = 'of the test';
const rightsOf = (name: (typeof databases)[number]): Rights => {
  const user = `fds_limited_${randomUUID().slice(0, 8)}`;
  if (name === 'PostgreSQL')
    return {
      user,
      create: [`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`],
      drop: [`DROP OWNED BY ${user}`, `DROP ROLE ${user}`],
    };
  return { user, create: [`CREATE USER ${user} IDENTIFIED BY '${password}'`], drop: [`DROP USER ${user}`] };
};

const every = 'SELECT, INSERT, UPDATE, DELETE';

/** Rights that are not enough for an event about a row that exists or not. */
const missing: Readonly<
  Record<string, { readonly has: string; readonly action: IncomingEvent['action']; readonly id: string }>
> = {
  'no INSERT': { has: 'SELECT, UPDATE, DELETE', action: 'POST', id: 'new' },
  'no UPDATE': { has: 'SELECT, INSERT, DELETE', action: 'PUT', id: 'old' },
  'no DELETE': { has: 'SELECT, INSERT, UPDATE', action: 'DELETE', id: 'old' },
  'no SELECT': { has: 'INSERT, UPDATE, DELETE', action: 'PUT', id: 'old' },
  'INSERT without a column': { has: 'SELECT, INSERT (id), UPDATE, DELETE', action: 'POST', id: 'new' },
  'UPDATE without a column': { has: 'SELECT, INSERT, UPDATE (id), DELETE', action: 'PUT', id: 'old' },
  'SELECT without a column': { has: 'SELECT (id), INSERT, UPDATE, DELETE', action: 'PUT', id: 'old' },
};

describe.each(databases)('a user of %s without a right', (name) => {
  const { open, missing: unavailable } = testSources[name];
  const check = testOn(unavailable);
  const folder = mkdtempSync(join(tmpdir(), 'fds-rights-'));
  const rights = rightsOf(name);
  const { user } = rights;
  let source: TestSource;
  let played: PlayedTable | undefined;

  beforeAll(async () => {
    if (unavailable !== undefined) return;
    source = await open();
    await source.run(...rights.create);
  });
  beforeEach(async () => {
    if (unavailable !== undefined) return;
    await source.run(
      'DROP TABLE IF EXISTS t',
      'CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40))',
      `INSERT INTO t VALUES ('old', 'a')`,
      // MariaDB keeps the rights on a table that was dropped
      ...(name === 'MariaDB' ? [`REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${user}`] : []),
    );
  });
  afterEach(async () => {
    await played?.stop();
    played = undefined;
  });
  afterAll(async () => {
    if (source !== undefined) await source.run('DROP TABLE t', ...rights.drop);
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const play = (scans: boolean): PlayedTable => {
    played = playTable({
      properties: { ...source.properties, 'dataSource.user': user, 'dataSource.password': password },
      table: {
        ...tableOfTexts(['id', 'v']),
        scanOptions: { enableProcessor: scans, scanIntervalMilliseconds: 50 },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
    });
    return played;
  };
  const eventOf = (action: IncomingEvent['action'], json: JsonObject & { id: string }): IncomingEvent =>
    incomingEvent(json.id, action === 'DELETE' ? { action } : { action, json, changed: ['v'] });
  const refusalOf = async (work: Promise<Applied>): Promise<unknown> =>
    work.then(
      () => 'applied',
      (error: unknown) => error,
    );
  const grant = (which: string): string => `GRANT ${which} ON t TO ${user}`;
  const contents = async (): Promise<unknown> => {
    const admin = playTable({
      properties: source.properties,
      table: tableOfTexts(['id']),
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
      scans: false,
    });
    try {
      return await admin.connection('t').select('id', 'v').orderBy('id');
    } finally {
      await admin.stop();
    }
  };

  for (const [form, { has, action, id }] of Object.entries(missing))
    check(`lets the event wait, and applies it after GRANT: ${form}`, async () => {
      await source.run(grant(has));
      const { handler, sources } = play(false);
      const event = eventOf(action, { id, v: 'b' });
      expect(await refusalOf(handler.apply(event))).toMatchObject({
        name: 'ApplyError',
        kind: 'CONFIGURATION',
        retry: 'UNTIL_IT_WORKS',
        waitsFor: 'thing:1',
      });
      expect(await contents()).toEqual([{ id: 'old', v: 'a' }]);
      // nothing flows, because the table is only written
      expect(sources.get('thing:1')).toMatchObject({
        state: 'ERROR',
        reason: expect.stringMatching(/^thing:1, table t: .*(denied|permission)/i),
      });
      expect(handler.health).toBe('DOWN');
      await source.run(grant(every));
      await handler.apply(event);
      const expected = {
        POST: [
          { id: 'new', v: 'b' },
          { id: 'old', v: 'a' },
        ],
        PUT: [{ id: 'old', v: 'b' }],
        DELETE: [],
      };
      expect(await contents()).toEqual(expected[action]);
      expect(sources.size).toBe(0);
      expect(handler.health).toBe('UP');
    });
});

const { PostgreSQL } = testSources;

describeOn(PostgreSQL.missing)('a state store in PostgreSQL without a right', () => {
  const rights = rightsOf('PostgreSQL');
  const { user } = rights;

  it.each(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])('fails until %s is granted again', async (right) => {
    const source = await PostgreSQL.open();
    await source.run(...rights.create, `GRANT ALL ON SCHEMA public TO ${user}`);
    const url = new URL(String(source.properties['jdbcUrl']).replace('jdbc:', ''));
    const store = openPostgresqlStore(
      {
        dialect: 'postgresql',
        host: url.hostname,
        port: Number(url.port),
        database: url.pathname.slice(1),
        tls: 'off',
      },
      { user, password, maxConnections: 1 },
      randomUUID(),
    );
    try {
      await store.prepare();
      const state = store.table('thing', 1);
      const row = { keyText: '["a"]', digest: 'd', drUuid: null, record: '{}' };
      const use = async (): Promise<unknown> => {
        await state.rememberRows([row]);
        await state.rememberRows([row]);
        const known = await state.knownRows([row.keyText]);
        await state.forget([row.keyText]);
        return known.get(row.keyText);
      };
      expect(await use()).toEqual(row);
      await source.run(`REVOKE ${right} ON fds_adaptor_row FROM ${user}`);
      await expect(use()).rejects.toThrow('permission denied');
      await source.run(`GRANT ${right} ON fds_adaptor_row TO ${user}`);
      await eventually(async () => expect(await use()).toEqual(row));
    } finally {
      await store.close();
      await source.run(...rights.drop);
      await source.dispose();
    }
  });
});
