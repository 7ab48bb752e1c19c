import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, RequestedRecord } from '@fds/adaptor-protocol';
import { casesOf, createRandom, eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { incomingEvent, refusalOf } from './testing/incoming-event.js';
import { playTable, type PlayedTable } from './testing/play-table.js';
import { describeOn, testSources, type TestedDatabase, type TestSource } from './testing/test-sources.js';

const folder = mkdtempSync(join(tmpdir(), 'fds-mapping-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The table entry of the example in the README. */
const example = (): JsonObject => {
  const page = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  const [, section = ''] = page.split('\n## Mapping by expressions\n');
  const { tables } = JSON.parse(/```json\n([^]*?)\n```/.exec(section)?.[1] ?? '{}') as { tables?: JsonObject[] };
  return tables?.[0] ?? {};
};

const ddl: Readonly<Record<TestedDatabase, readonly string[]>> = {
  PostgreSQL: [
    'CREATE TABLE city (id bigint PRIMARY KEY, name text NOT NULL, zip text)',
    `CREATE TABLE contact (id bigint PRIMARY KEY, first_name text, last_name text, country_code char(2), city_id bigint,
       status text NOT NULL DEFAULT 'A', big bigint, amount numeric(40, 10), picture bytea, changed timestamptz NOT NULL DEFAULT now())`,
  ],
  MariaDB: [
    'CREATE TABLE city (id bigint PRIMARY KEY, name varchar(100) NOT NULL, zip text)',
    `CREATE TABLE contact (id bigint PRIMARY KEY, first_name varchar(100), last_name varchar(100), country_code char(2), city_id bigint,
       status varchar(10) NOT NULL DEFAULT 'A', big bigint, amount decimal(40, 10), picture longblob, changed datetime(6) NOT NULL DEFAULT now(6))`,
  ],
  SQLite: [
    'CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL, zip TEXT)',
    `CREATE TABLE contact (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country_code TEXT, city_id INTEGER,
       status TEXT NOT NULL DEFAULT 'A', big INTEGER, amount TEXT, picture BLOB, changed TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')))`,
  ],
};
const now: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'clock_timestamp()',
  MariaDB: 'now(6)',
  SQLite: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
};

const cases = (['PostgreSQL', 'MariaDB', 'SQLite'] as const).flatMap((name) =>
  testSources[name].methods.map((method) => ({ name, method, missing: testSources[name].missing })),
);

for (const { name, method, missing } of cases)
  describeOn(missing)(`expressions of a table of ${name} with ${method}`, () => {
    let source: TestSource;
    let played: PlayedTable;
    beforeAll(async () => {
      source = await testSources[name].open();
      await source.run(
        ...ddl[name],
        `INSERT INTO city (id, name, zip) VALUES (1, 'Paris', '75000'), (2, 'Lyon', '69000')`,
        `INSERT INTO contact (id, first_name, last_name, country_code, city_id, big, amount)
           VALUES (1, 'Ada', 'Lovelace', 'GB', 1, 9007199254740993, '123456789012345678901234567890.0123456789')`,
        `INSERT INTO contact (id, first_name, last_name, status) VALUES (2, 'Old', 'One', 'X')`,
      );
      played = playTable({
        properties: source.properties,
        table: {
          ...example(),
          dataSource: { tableName: 'contact' },
          scanMethod: method,
          scanOptions: { scanIntervalMilliseconds: 100, enableDeletionScan: true },
        },
        stateFile: join(folder, `${randomUUID()}.sqlite`),
        drKeyProperties: ['id'],
      });
    });
    afterAll(async () => {
      await played?.stop();
      await source?.dispose();
    });

    const edit = (id: number, set: string): Promise<void> =>
      source.run(`UPDATE contact SET ${set}, changed = ${now[name]} WHERE id = ${id}`);
    const reportsOf = (id: number) => played.published.filter(({ json }) => json?.['id'] === id);
    const read = async (id: number): Promise<JsonObject> => {
      const [row] = await played.connection('contact').where({ id });
      return row as JsonObject;
    };
    const assemble = async (sort?: string, records: readonly RequestedRecord[] | null = null) =>
      played.handler.assemble({
        requestUuid: randomUUID(),
        domain: 'thing',
        version: 1,
        domainVersionUuid: randomUUID(),
        requestedProperties: null,
        timeoutMilliseconds: 1_000,
        records,
        page: 0,
        size: 10,
        ...(sort === undefined ? {} : { sort }),
      });

    it('compute the properties of a row, and rows outside of the filter are not reported', async () => {
      await eventually(() => expect(reportsOf(1)).toHaveLength(1));
      expect(reportsOf(1)[0]).toMatchObject({
        action: 'POST',
        json: {
          id: 1,
          fullName: 'Ada Lovelace',
          country: 'United Kingdom',
          city: 'Paris',
          big: 9007199254740993n,
          amount: '123456789012345678901234567890.0123456789',
        },
      });
      const { records, totalElements } = await assemble('-fullName');
      expect(records.map(({ data }) => data?.['id'])).toEqual([1]);
      expect(totalElements).toBe(1);
    });

    it('report the property whose column was changed', async () => {
      await edit(1, `last_name = 'King'`);
      await eventually(() => expect(reportsOf(1)).toHaveLength(2));
      expect(reportsOf(1)[1]).toMatchObject({ json: { fullName: 'Ada King', country: 'United Kingdom' } });
    });

    it('write the columns of a property, and skip a property that is read-only', async () => {
      const drUuid = randomUUID();
      await played.handler.apply(
        incomingEvent(3, {
          action: 'POST',
          drUuid,
          json: { id: 3, fullName: 'Grace Brewster Hopper', country: 'France' },
        }),
      );
      expect(await read(3)).toMatchObject({ first_name: 'Grace', last_name: 'Brewster Hopper', country_code: 'FR' });
      // an unreported change of another column stays
      await played.connection('contact').where({ id: 3 }).update({ first_name: 'Grace' });
      const applied = await played.handler.apply(
        incomingEvent(3, {
          action: 'PUT',
          drUuid,
          json: { id: 3, fullName: 'Grace Hopper', city: 'Lyon' },
          changed: ['fullName', 'city'],
        }),
      );
      expect(applied.notApplied?.map(({ property }) => property)).toEqual(['city']);
      expect(await read(3)).toMatchObject({ first_name: 'Grace', last_name: 'Hopper', country_code: 'FR' });
    });

    it('do not report back what an event has written', async () => {
      await edit(1, `city_id = 2`);
      await eventually(() => expect(reportsOf(1)).toHaveLength(3));
      expect(reportsOf(1)[2]).toMatchObject({ json: { city: 'Lyon' } });
      expect(reportsOf(3)).toEqual([]);
    });

    it('refuse a record whose value has no code, and name the mapping', async () => {
      const refusal = await refusalOf(
        played.handler.apply(
          incomingEvent(4, { action: 'POST', json: { id: 4, fullName: 'No One', country: 'Atlantis' } }),
        ),
      );
      expect(refusal).toMatchObject({ kind: 'DATA', retry: 'NEVER', properties: ['country'] });
      expect(refusal.title).toContain('country_code in mapping.toRow');
      expect(await read(4)).toBeUndefined();
    });

    it('make one issue of a row that they cannot map, and the next valid version is reported', async () => {
      await edit(1, `country_code = 'ZZ'`);
      await eventually(() => expect(played.reported).toHaveLength(1));
      expect(played.reported[0]).toMatchObject({
        level: 'ERROR',
        kind: 'DATA',
        properties: ['country'],
        drKey: { id: 1 },
      });
      expect(played.reported[0]?.title).toContain('country in mapping.toRecord');
      // the row exists, and so do its values that need no expression
      const drUuid = randomUUID();
      const { records } = await assemble(undefined, [{ drUuid, drKey: { id: 1 } }]);
      expect(records).toMatchObject([{ drUuid, drKey: { id: 1 }, data: { id: 1, big: 9007199254740993n } }]);
      expect(Object.keys(records[0]?.data ?? {}).sort()).toEqual(['big', 'id']);
      // an event for it is refused with the fault of the row, not with one of the database
      const refusal = await refusalOf(
        played.handler.apply(
          incomingEvent(1, { action: 'PUT', json: { id: 1, fullName: 'Augusta King' }, changed: ['fullName'] }),
        ),
      );
      expect(refusal.title).toMatch(
        /^A row cannot be read: The expression of country in mapping\.toRecord fails: \$code: /,
      );
      await edit(1, `country_code = 'FR'`);
      await eventually(() => expect(reportsOf(1)).toHaveLength(4));
      expect(reportsOf(1)[3]).toMatchObject({ json: { country: 'France' } });
      expect(played.reported).toHaveLength(1);
    });

    it('keep a row that leaves the filter until it is deleted, and report one that comes into it', async () => {
      await edit(2, `status = 'A'`);
      await eventually(() => expect(reportsOf(2)).toHaveLength(1));
      expect(reportsOf(2)[0]?.action).toBe('POST');
      await edit(2, `status = 'X', last_name = 'Two'`);
      await edit(1, `last_name = 'Byron'`);
      await eventually(() => expect(reportsOf(1)).toHaveLength(5));
      expect(played.published.filter(({ action }) => action === 'DELETE')).toEqual([]);
      expect(reportsOf(2)).toHaveLength(1);
      await source.run('DELETE FROM contact WHERE id = 2');
      await eventually(() =>
        expect(played.published.filter(({ action }) => action === 'DELETE')).toMatchObject([{ drKey: { id: 2 } }]),
      );
    });

    it('bring back each record that they have written: toRecord after toRow changes nothing', async () => {
      const seed = Date.now() % 1_000_000;
      const random = createRandom(seed);
      const letters = ['a', 'Z', 'é', '漢', '😀', "'", '"', '\\\\', '%', '-'];
      const word = (most: number): string =>
        Array.from({ length: 1 + random.below(most) }, () => random.pick(letters)).join('');
      const records = Array.from({ length: casesOf(12) }, (_, index) => ({
        id: 1_000 + index,
        big: random.pick([null, 0, -1, 9007199254740993n, -9223372036854775808n]),
        fullName: [word(8), ...Array.from({ length: 1 + random.below(3) }, () => word(8))].join(' '),
        country: random.pick([null, 'France', 'United Kingdom']),
      }));
      for (const json of records) {
        const drUuid = randomUUID();
        await played.handler.apply(
          incomingEvent(json.id, { action: 'POST', drUuid, json: { ...json, fullName: 'First Name' } }),
        );
        await played.handler.apply(
          incomingEvent(json.id, { action: 'PUT', drUuid, json, changed: ['fullName', 'country', 'big'] }),
        );
      }
      const { records: found } = await assemble(
        undefined,
        records.map(({ id }) => ({ drUuid: randomUUID(), drKey: { id } })),
      );
      const written = found.map(({ data }) => data).sort((one, other) => Number(one?.['id']) - Number(other?.['id']));
      expect({ seed, written }).toEqual({
        seed,
        written: records.map((json) => ({ ...json, city: null, amount: null })),
      });
    }, 60_000);

    it('refuse a record for a row outside of the filter that was never reported', async () => {
      await source.run(`INSERT INTO contact (id, first_name, last_name, status) VALUES (5, 'Out', 'Side', 'X')`);
      const refusal = await refusalOf(
        played.handler.apply(incomingEvent(5, { action: 'POST', json: { id: 5, fullName: 'In Side' } })),
      );
      expect(refusal).toMatchObject({ kind: 'DATA', retry: 'NEVER' });
      expect(await read(5)).toMatchObject({ first_name: 'Out' });
    });
  });

describe('memory', () => {
  let source: TestSource;
  let played: PlayedTable;
  const statements: string[] = [];
  const mebibyte = 2 ** 20;
  const text = (length: number): string => `printf('%.*c', ${length}, 'x')`;
  beforeAll(async () => {
    source = await testSources.SQLite.open();
    await source.run(
      'CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)',
      'CREATE TABLE big (id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER)',
      // two of them fit into the 4 MiB of the rows that are kept
      `INSERT INTO city VALUES ${[1, 2, 3].map((id) => `(${id}, ${text(1.5 * mebibyte)})`).join(', ')}`,
    );
    played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
        dataColumns: { id: { source: 'id', columnType: 'LONG' }, name: { source: 'name', columnType: 'STRING' } },
        dataSource: { tableName: 'big' },
        rowFilter: 'id > 0',
        mapping: {
          toRecord: { size: `$length($lookup('city', city_id).name)` },
          lookups: { city: { table: 'city', key: 'id', columns: ['name'] } },
        },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
      scans: false,
    });
    played.connection.on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
  });
  afterAll(async () => {
    await played?.stop();
    await source?.dispose();
  });

  const ask = (records: readonly RequestedRecord[] | null, sort?: string) =>
    played.handler.assemble({
      requestUuid: randomUUID(),
      domain: 'thing',
      version: 1,
      domainVersionUuid: randomUUID(),
      requestedProperties: ['id', 'size'],
      timeoutMilliseconds: 60_000,
      records,
      page: 0,
      size: 10,
      ...(sort === undefined ? {} : { sort }),
    });

  it('keeps the rows of lookups that fit into 4 MiB, and forgets the oldest', async () => {
    await source.run(`INSERT INTO big VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)`);
    const sizeOf = async (id: number): Promise<readonly [unknown, number]> => {
      statements.length = 0;
      const { records } = await ask([{ drUuid: randomUUID(), drKey: { id } }]);
      return [records[0]?.data?.['size'], statements.filter((sql) => sql.includes('from "city"')).length];
    };
    const length = 1.5 * mebibyte;
    // within the five seconds for which a row is kept: a slow machine begins again
    await eventually(
      async () => {
        const startedAt = performance.now();
        for (const id of [1, 2]) await sizeOf(id);
        const again = [await sizeOf(1), await sizeOf(2)];
        const third = await sizeOf(3);
        const oldest = await sizeOf(1);
        if (performance.now() - startedAt > 5_000) throw new Error('the rows were forgotten because of their age');
        expect([...again, third, oldest]).toEqual([
          [length, 0],
          [length, 0],
          [length, 1],
          [length, 1],
        ]);
      },
      { deadlineMs: 60_000 },
    );
  }, 90_000);

  it('refuses to sort more than 64 MiB of values, and takes less', async () => {
    await source.run('DELETE FROM big');
    await source.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 63)
       INSERT INTO big SELECT i, ${text(mebibyte)}, NULL FROM n`,
    );
    expect((await ask(null, 'name')).totalElements).toBe(63);
    await source.run(`INSERT INTO big VALUES (64, ${text(mebibyte)}, NULL), (65, ${text(mebibyte)}, NULL)`);
    await expect(ask(null, 'name')).rejects.toThrow('too many rows to be sorted');
    expect((await ask([{ drUuid: randomUUID(), drKey: { id: 65 } }])).records).toHaveLength(1);
  }, 60_000);
});
