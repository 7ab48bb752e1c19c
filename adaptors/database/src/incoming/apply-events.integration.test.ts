import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import { ApplyError, type Applied, type IncomingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import Database from 'libsql';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const databases = Object.keys(testSources) as TestedDatabase[];

const ddl: Readonly<Record<TestedDatabase, readonly string[]>> = {
  PostgreSQL: [
    'CREATE TABLE area (id int PRIMARY KEY)',
    `CREATE TABLE item (id int PRIMARY KEY, name varchar(20) NOT NULL CHECK (name <> 'refused'), note text, price numeric(10, 2),
      area int REFERENCES area, late int REFERENCES area DEFERRABLE INITIALLY DEFERRED, changed timestamptz NOT NULL)`,
    `CREATE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.name = 'hidden' THEN NULL ELSE NEW END; END $$`,
    'CREATE TRIGGER hide BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION hide()',
  ],
  MariaDB: [
    'CREATE TABLE area (id int PRIMARY KEY)',
    `CREATE TABLE item (id int PRIMARY KEY, name varchar(20) NOT NULL CHECK (name <> 'refused'), note text, price decimal(10, 2),
      area int, late int, changed datetime(6) NOT NULL, FOREIGN KEY (area) REFERENCES area (id))`,
  ],
  SQLite: [
    'CREATE TABLE area (id INTEGER PRIMARY KEY)',
    `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> 'refused'), note TEXT, price NUMERIC,
      area INTEGER REFERENCES area, late INTEGER, changed TEXT NOT NULL)`,
  ],
};

const now: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'clock_timestamp()',
  MariaDB: 'utc_timestamp(6)',
  SQLite: `strftime('%Y-%m-%d %H:%M:%f000', 'now')`,
};

const columnTypes = { id: 'LONG', name: 'STRING', note: 'STRING', price: 'DECIMAL', area: 'LONG', late: 'LONG' };

type Result = PromiseSettledResult<Applied>;

/** Applied, or the kind and the retry of the refusal. */
const shown = (result: Result | undefined): unknown => {
  if (result?.status === 'fulfilled') return result.value;
  const error: unknown = result?.reason;
  return error instanceof ApplyError ? `${error.kind} ${error.retry}` : error;
};

const keys: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'no serial PRIMARY KEY, code varchar(40) UNIQUE NOT NULL, name varchar(40)',
  MariaDB: 'no int AUTO_INCREMENT PRIMARY KEY, code varchar(40) UNIQUE NOT NULL, name varchar(40)',
  SQLite: 'no INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE NOT NULL, name TEXT',
};

describe.each(databases)('events that arrive together for a table of %s with a generated key', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-generated-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(`CREATE TABLE coded (${keys[name]})`);
    played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'LOCAL_AUTO', no: { columnType: 'LONG' } }],
        dataColumns: {
          code: { source: 'code', columnType: 'STRING' },
          name: { source: 'name', columnType: 'STRING' },
        },
        dataSource: { tableName: 'coded' },
      },
      stateFile: join(folder, 'state.sqlite'),
      scans: false,
      drKeyProperties: ['code'],
    });
  });
  afterAll(async () => {
    await played?.stop();
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  check('get their own keys, and another record with an equal key is refused', async () => {
    const codes = Array.from({ length: 60 }, (_, index) => `c${index}`);
    const uuids = codes.map(() => randomUUID());
    const send = (action: 'POST' | 'PUT', nameOf: (code: string) => string, more: readonly string[] = []) =>
      Promise.allSettled(
        [...codes, ...more].map((code, at) =>
          played.handler.apply(
            incomingEvent(code, { action, drUuid: uuids[at] ?? randomUUID(), json: { code, name: nameOf(code) } }),
          ),
        ),
      );
    // the collations of the other databases treat both as equal
    const clashes = name === 'PostgreSQL' ? [] : ['C30'];
    const created = await send('POST', (code) => `n ${code}`, clashes);
    expect(created.map(shown)).toEqual([...codes.map(() => ({})), ...clashes.map(() => 'DATA NEVER')]);
    expect((await send('PUT', (code) => `m ${code}`)).map(shown)).toEqual(codes.map(() => ({})));
    const rows: { code: string; name: string }[] = await played.connection('coded').select('code', 'name');
    expect(new Map(rows.map((row) => [row.code, row.name]))).toEqual(new Map(codes.map((code) => [code, `m ${code}`])));
  });
});

describe.each(databases)('events that arrive together for a table of %s', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-together-'));
  let source: TestSource;
  let played: PlayedTable;
  let stateFile: string;

  const play = (scans: boolean, concurrency = 1): PlayedTable =>
    playTable({
      properties: { ...source.properties, maximumPoolSize: '6' },
      concurrency,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
        dataColumns: Object.fromEntries(
          Object.entries(columnTypes).map(([column, columnType]) => [column, { source: column, columnType }]),
        ),
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'item' },
        scanOptions: { scanIntervalMilliseconds: 50, enableDeletionScan: true },
      },
      stateFile,
      scans,
      drKeyProperties: ['id'],
    });

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    await source.run(...ddl[name]);
  });
  beforeEach(async () => {
    if (missing !== undefined) return;
    await source.run('DELETE FROM item', 'DELETE FROM area');
    stateFile = join(folder, `${randomUUID()}.sqlite`);
    played = play(false);
  });
  afterEach(async () => {
    await played?.stop();
  });
  afterAll(async () => {
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const uuids = new Map<number, string>();
  const uuidOf = (id: number): string => {
    const uuid = uuids.get(id) ?? randomUUID();
    uuids.set(id, uuid);
    return uuid;
  };
  beforeEach(() => uuids.clear());

  const send = (
    action: IncomingEvent['action'],
    ids: readonly number[],
    jsonOf: (id: number) => JsonObject,
  ): Promise<readonly Result[]> =>
    Promise.allSettled(
      ids.map((id) => {
        const json = { id, ...jsonOf(id) };
        return played.handler.apply(
          incomingEvent(id, { action, drUuid: uuidOf(id), json, changed: Object.keys(jsonOf(id)) }),
        );
      }),
    );
  const rowsOf = async (column: string): Promise<ReadonlyMap<number, unknown>> => {
    const rows: { id: number | string; value: unknown }[] = await played
      .connection('item')
      .select('id', `${column} as value`);
    return new Map(rows.map(({ id, value }) => [Number(id), value]));
  };
  const ids = Array.from({ length: 120 }, (_, index) => index + 1);

  check('are created, changed and deleted in a few transactions', async () => {
    const created = await send('POST', ids, (id) => ({ name: `n${id}`, note: null, price: id / 4 }));
    expect(created.map(shown)).toEqual(ids.map(() => ({})));
    const transactions = async (): Promise<number> => {
      const { rows } = await played.connection.raw('SELECT count(DISTINCT xmin::text) AS n FROM item');
      return Number((rows as { n: string }[])[0]?.n);
    };
    if (name === 'PostgreSQL') expect(await transactions()).toBeLessThan(10);
    const changed = await send('PUT', ids, (id) => ({ name: `m${id}`, note: `"quoted" \\ ${id}` }));
    expect(changed.map(shown)).toEqual(ids.map(() => ({})));
    if (name === 'PostgreSQL') expect(await transactions()).toBeLessThan(10);
    expect(await rowsOf('name')).toEqual(new Map(ids.map((id) => [id, `m${id}`])));
    expect(await rowsOf('note')).toEqual(new Map(ids.map((id) => [id, `"quoted" \\ ${id}`])));
    expect((await send('DELETE', ids, () => ({}))).map(shown)).toEqual(ids.map(() => ({})));
    expect((await rowsOf('name')).size).toBe(0);
    // each of them is applied a second time
    expect((await send('DELETE', ids, () => ({}))).map(shown)).toEqual(ids.map(() => ({})));
  });

  check('a row that the database refuses fails alone', async () => {
    const nameOf = (id: number): string => (id % 50 === 7 ? 'refused' : `n${id}`);
    const isBad = (id: number): boolean => nameOf(id) === 'refused';
    const created = await send('POST', ids, (id) => ({ name: nameOf(id) }));
    expect(created.map(shown)).toEqual(ids.map((id) => (isBad(id) ? 'DATA NEVER' : {})));
    expect([...(await rowsOf('name')).keys()].sort((a, b) => a - b)).toEqual(ids.filter((id) => !isBad(id)));
    const good = ids.filter((id) => !isBad(id));
    const changed = await send('PUT', good, (id) => ({ name: id === 60 ? 'refused' : `m${id}` }));
    expect(changed.map(shown)).toEqual(good.map((id) => (id === 60 ? 'DATA NEVER' : {})));
    expect(await rowsOf('name')).toEqual(new Map(good.map((id) => [id, id === 60 ? 'n60' : `m${id}`])));
  });

  check('a value that its column cannot hold fails alone, before a statement', async () => {
    const created = await send('POST', ids, (id) => ({ name: `n${id}`, price: id === 9 ? 'not a number' : 1 }));
    expect(created.map(shown)).toEqual(ids.map((id) => (id === 9 ? 'DATA NEVER' : {})));
  });

  check('an unreported change of a user stays, and the others are written', async () => {
    await send('POST', ids, (id) => ({ name: `n${id}`, note: 'old' }));
    await source.run(`UPDATE item SET name = 'mine', changed = ${now[name]} WHERE id IN (5, 77)`);
    await source.run('DELETE FROM item WHERE id = 90');
    const changed = await send('PUT', ids, (id) => ({ name: `m${id}`, note: 'new' }));
    const kept = (id: number): unknown => (id === 5 || id === 77 ? { kept: ['name'] } : {});
    expect(changed.map(shown)).toEqual(ids.map((id) => (id === 90 ? { kept: ['name', 'note'] } : kept(id))));
    const names = await rowsOf('name');
    expect([names.get(5), names.get(77), names.get(6), names.get(90)]).toEqual(['mine', 'mine', 'm6', undefined]);
    expect((await rowsOf('note')).get(5)).toBe('new');
    const deleted = await send('DELETE', [5, 6, 7, 77], () => ({}));
    expect(deleted.map(shown)).toEqual([{ kept: ['name'] }, {}, {}, { kept: ['name'] }]);
    expect((await rowsOf('name')).get(5)).toBe('mine');
  });

  check('a row whose foreign key has no row waits, and the others are written', async () => {
    if (name === 'SQLite') await played.connection.raw('PRAGMA foreign_keys = ON');
    await source.run('INSERT INTO area VALUES (1)');
    const areaOf = (id: number): number => (id === 3 || id === 44 ? 2 : 1);
    const created = await send('POST', ids, (id) => ({ name: `n${id}`, area: areaOf(id) }));
    expect(created.map(shown)).toEqual(ids.map((id) => (areaOf(id) === 2 ? 'DATA WHILE_OTHERS_WORK' : {})));
    await source.run('INSERT INTO area VALUES (2)');
    expect((await send('POST', [3, 44], (id) => ({ name: `n${id}`, area: 2 }))).map(shown)).toEqual([{}, {}]);
    expect((await rowsOf('name')).size).toBe(ids.length);
  });

  check('are not reported back by the scan, also where a column rounds them', async () => {
    await played.stop();
    played = play(true);
    await send('POST', ids, (id) => ({ name: `n${id}`, price: id + 0.333 }));
    await send('PUT', ids, (id) => ({ name: `m${id}`, price: id + 0.777 }));
    await source.run(`INSERT INTO item (id, name, changed) VALUES (1000, 'user', ${now[name]})`);
    await eventually(() => expect(played.published.map(({ json }) => json?.['id'])).toContain(1000));
    expect(played.published.map(({ json }) => json?.['id'])).toEqual([1000]);
  });

  check('have their effect once after a crash between the commit and the state', async () => {
    await send('POST', ids, (id) => ({ name: `n${id}`, price: id }));
    const stateStore = new Database(stateFile);
    stateStore.exec(`CREATE TRIGGER crash BEFORE UPDATE ON known_row WHEN NEW.digest <> OLD.digest
      BEGIN SELECT RAISE(ABORT, 'the process ended'); END`);
    const change = (): Promise<readonly Result[]> => send('PUT', ids, (id) => ({ price: id + 0.777 }));
    try {
      expect((await change()).map(({ status }) => status)).toEqual(ids.map(() => 'rejected'));
    } finally {
      stateStore.exec('DROP TRIGGER crash');
      stateStore.close();
    }
    await played.stop();
    played = play(true);
    expect((await change()).map(shown)).toEqual(ids.map(() => ({})));
    await source.run(`INSERT INTO item (id, name, changed) VALUES (1000, 'user', ${now[name]})`);
    await eventually(() => expect(played.published.map(({ json }) => json?.['id'])).toContain(1000));
    // a value that its column does not round may be reported before the event comes again: the server knows it
    const repeated = played.published.filter(({ json }) => json?.['id'] !== 1000);
    expect(repeated.filter(({ json }) => json?.['price'] !== Number(json?.['id']) + 0.777)).toEqual([]);
    expect(await rowsOf('name')).toEqual(
      new Map([...ids.map((id): [number, string] => [id, `n${id}`]), [1000, 'user']]),
    );
  });

  check('of records whose row another event of the batch needs are applied like one after the other', async () => {
    await send('POST', ids, (id) => ({ name: `n${id}` }));
    // the key of one record moves away, and a new record takes it
    const change = (drKey: number, of: number, json: JsonObject): IncomingEvent =>
      incomingEvent(drKey, { action: 'PUT', drUuid: uuidOf(of), json, changed: Object.keys(json) });
    const results = await Promise.allSettled(
      [
        change(50, 50, { name: 'x' }),
        change(2001, 1, { id: 2001, name: 'moved' }),
        change(51, 51, { name: 'y' }),
        incomingEvent(1, { action: 'POST', json: { id: 1, name: 'fresh' } }),
      ].map((event) => played.handler.apply(event)),
    );
    expect(results.map(shown)).toEqual([{}, {}, {}, {}]);
    const names = await rowsOf('name');
    expect([names.get(1), names.get(50), names.get(51), names.get(2001)]).toEqual(['fresh', 'x', 'y', 'moved']);
  });

  if (name === 'PostgreSQL') {
    check('a row that a trigger swallows fails alone', async () => {
      const created = await send('POST', ids, (id) => ({ name: id === 20 ? 'hidden' : `n${id}` }));
      expect(created.map(shown)).toEqual(ids.map((id) => (id === 20 ? 'DATA NEVER' : {})));
      const others = ids.filter((id) => id !== 20);
      const changed = await send('PUT', others, (id) => ({ name: id === 30 ? 'hidden' : `m${id}` }));
      expect(changed.map(shown)).toEqual(others.map((id) => (id === 30 ? 'DATA NEVER' : {})));
      expect(await rowsOf('name')).toEqual(new Map(others.map((id) => [id, id === 30 ? 'n30' : `m${id}`])));
    });

    check('a row that only the commit refuses fails alone', async () => {
      await source.run('INSERT INTO area VALUES (1)');
      const created = await send('POST', ids, (id) => ({ name: `n${id}`, late: id === 33 ? 2 : 1 }));
      expect(created.map(shown)).toEqual(ids.map((id) => (id === 33 ? 'DATA WHILE_OTHERS_WORK' : {})));
      expect((await rowsOf('name')).size).toBe(ids.length - 1);
    });
  }

  if (name !== 'SQLite') {
    check('a row that the application has locked waits, and the others are written', async () => {
      await send('POST', ids, (id) => ({ name: `n${id}` }));
      await source.run('BEGIN', 'UPDATE item SET note = note WHERE id = 40');
      try {
        const changed = await send('PUT', ids, (id) => ({ name: `m${id}` }));
        expect(changed.map(shown)).toEqual(ids.map((id) => (id === 40 ? 'SOURCE UNTIL_IT_WORKS' : {})));
      } finally {
        await source.run('ROLLBACK');
      }
      expect((await send('PUT', [40], () => ({ name: 'm40' }))).map(shown)).toEqual([{}]);
    });

    check('wait soon if the whole table is locked', async () => {
      await send('POST', ids, (id) => ({ name: `n${id}` }));
      await (name === 'PostgreSQL'
        ? source.run('BEGIN', 'LOCK TABLE item IN ACCESS EXCLUSIVE MODE')
        : source.run('LOCK TABLES item WRITE'));
      try {
        const startedAtMs = performance.now();
        const changed = await send('PUT', ids, (id) => ({ name: `m${id}` }));
        expect(changed.map(shown)).toEqual(ids.map(() => 'SOURCE UNTIL_IT_WORKS'));
        // a batch, two events alone, and the event that came first: the others are not tried
        expect(performance.now() - startedAtMs).toBeLessThan(20_000);
      } finally {
        await source.run(name === 'PostgreSQL' ? 'ROLLBACK' : 'UNLOCK TABLES');
      }
      expect((await send('PUT', ids, (id) => ({ name: `m${id}` }))).map(shown)).toEqual(ids.map(() => ({})));
    });

    check('cause no failure when several transactions run at the same time', async () => {
      await played.stop();
      played = play(false, 4);
      await send('POST', ids, (id) => ({ name: `n${id}` }));
      for (let round = 0; round < 10; round += 1) {
        const order = round % 2 === 0 ? ids : ids.toReversed();
        const results = await send('PUT', order, (id) => ({ note: `${round} ${id}`, price: round }));
        expect(results.map(shown)).toEqual(ids.map(() => ({})));
      }
      expect(await rowsOf('note')).toEqual(new Map(ids.map((id) => [id, `9 ${id}`])));
    });

    check('cause no failure of an application that changes the same rows in another order', async () => {
      await send('POST', ids, (id) => ({ name: `n${id}` }));
      let failures = 0;
      const apply = async (): Promise<void> => {
        for (let round = 0; round < 10; round += 1)
          for (const result of await send('PUT', ids, (id) => ({ note: `${round} ${id}` })))
            if (result.status === 'rejected') failures += 1;
      };
      const isDone = new AbortController();
      const edit = async (): Promise<void> => {
        for (let round = 0; !isDone.signal.aborted; round += 1)
          await source.run(
            `UPDATE item SET price = ${round}, changed = ${now[name]} WHERE id = ${ids[(round * 7) % ids.length]}`,
          );
      };
      const editing = edit();
      await apply().finally(() => isDone.abort());
      await editing;
      expect(failures).toBe(0);
    });
  }
});
