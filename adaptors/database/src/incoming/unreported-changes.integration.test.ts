import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import type { Applied, IncomingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import Database from 'libsql';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const now: Readonly<Record<TestedDatabase, string>> = {
  PostgreSQL: 'clock_timestamp()',
  MariaDB: 'utc_timestamp(6)',
  SQLite: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
};

interface Rounding {
  readonly column: string;
  readonly columnType: string;
  readonly ddl: string;
  /** The value that an event brings, and the one that the column holds then. */
  readonly sent: JsonValue;
  readonly stored: JsonValue;
}

const long = '2026-01-02T03:04:05.678901Z';

/** Columns that hold another value than the one that was written. */
const roundings: Readonly<Record<TestedDatabase, readonly Rounding[]>> = {
  PostgreSQL: [
    { column: 'factor', columnType: 'DOUBLE', ddl: 'float4', sent: 0.123456789, stored: 0.12345679 },
    { column: 'price', columnType: 'DECIMAL', ddl: 'numeric(10, 2)', sent: 10.125, stored: 10.13 },
    { column: 'at', columnType: 'TIMESTAMP', ddl: 'timestamptz(0)', sent: long, stored: '2026-01-02T03:04:06Z' },
    { column: 'code', columnType: 'STRING', ddl: 'char(12)', sent: 'ab', stored: 'ab          ' },
    { column: 'mail', columnType: 'STRING', ddl: 'text', sent: 'Ada@X', stored: 'ada@x' },
    { column: 'more', columnType: 'JSON', ddl: 'jsonb', sent: { bb: 1.5, a: 2 }, stored: { a: 2, bb: 1.5 } },
    {
      column: 'ident',
      columnType: 'STRING',
      ddl: 'uuid',
      sent: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
      stored: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    },
  ],
  MariaDB: [
    { column: 'factor', columnType: 'DOUBLE', ddl: 'float', sent: 0.123456789, stored: 0.12345679 },
    { column: 'price', columnType: 'DECIMAL', ddl: 'decimal(10, 2)', sent: 10.125, stored: 10.13 },
    { column: 'at', columnType: 'TIMESTAMP', ddl: 'datetime', sent: long, stored: '2026-01-02T03:04:05Z' },
    { column: 'code', columnType: 'STRING', ddl: 'char(12)', sent: 'ab  ', stored: 'ab' },
    { column: 'mail', columnType: 'STRING', ddl: 'varchar(50)', sent: 'Ada@X', stored: 'ada@x' },
  ],
  SQLite: [
    { column: 'price', columnType: 'STRING', ddl: 'NUMERIC', sent: '10.50', stored: '10.5' },
    { column: 'code', columnType: 'STRING', ddl: 'INTEGER', sent: '007', stored: '7' },
  ],
};

/** A trigger that rewrites `mail` in small letters. */
const folding: Readonly<Record<TestedDatabase, readonly string[]>> = {
  PostgreSQL: [
    `CREATE FUNCTION fold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.mail := lower(NEW.mail); RETURN NEW; END $$`,
    'CREATE TRIGGER fold BEFORE INSERT OR UPDATE ON contact FOR EACH ROW EXECUTE FUNCTION fold()',
  ],
  MariaDB: [
    'CREATE TRIGGER fold_i BEFORE INSERT ON contact FOR EACH ROW SET NEW.mail = lower(NEW.mail)',
    'CREATE TRIGGER fold_u BEFORE UPDATE ON contact FOR EACH ROW SET NEW.mail = lower(NEW.mail)',
  ],
  SQLite: [],
};

const tableOf = (name: TestedDatabase): readonly string[] => {
  const [text, moment] =
    name === 'SQLite' ? ['TEXT', 'TEXT'] : ['varchar(40)', name === 'MariaDB' ? 'datetime(6)' : 'timestamptz'];
  const columns = roundings[name].map(({ column, ddl }) => `${column} ${ddl}`).join(', ');
  return [
    `CREATE TABLE contact (id ${text} PRIMARY KEY, name ${text}, phone ${text}, status ${text} DEFAULT 'new', ${columns}, changed ${moment} NOT NULL)`,
    ...folding[name],
  ];
};

const read = Object.entries(testSources).flatMap(([name, { methods }]) =>
  methods.map((method) => [name as TestedDatabase, method] as const),
);

describe.each(read)('events for a table of %s that is read by %s', (name, scanMethod) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-unreported-'));
  let source: TestSource;
  let played: PlayedTable;
  let stateFile: string;
  /** Number of reports that the tests have read. */
  let heard: number;

  const play = (scans = true): PlayedTable =>
    playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        dataColumns: Object.fromEntries(
          [
            ...['id', 'name', 'phone', 'status'].map((column) => ({ column, columnType: 'STRING' })),
            ...roundings[name],
          ].map(({ column, columnType }) => [column, { source: column, columnType }]),
        ),
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'contact' },
        scanMethod,
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 50 },
      },
      stateFile,
      scans,
      drKeyProperties: ['id'],
    });

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    for (const statement of tableOf(name)) await source.run(statement);
  });
  beforeEach(async () => {
    if (missing !== undefined) return;
    await source.run('DELETE FROM contact');
    stateFile = join(folder, `${randomUUID()}.sqlite`);
    played = play();
    heard = 0;
  });
  afterEach(async () => {
    await played?.stop();
  });
  afterAll(async () => {
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const apply = (
    action: IncomingEvent['action'],
    drUuid: string,
    json: JsonObject,
    changed?: readonly string[],
    more: Partial<IncomingEvent> = {},
  ): Promise<Applied> =>
    played.handler.apply(
      incomingEvent(json['id'] ?? 'a', {
        action,
        drUuid,
        json,
        ...(changed === undefined ? {} : { changed }),
        ...more,
      }),
    );
  /** A user's edit. While the table is paused, it is not reported. */
  const edit = (set: string, id = 'a'): Promise<unknown> =>
    source.run(`UPDATE contact SET ${set}, changed = ${now[name]} WHERE id = '${id}'`);
  /** Applies while no scan runs: edits before it are not reported. */
  const paused = async <T>(work: () => Promise<T>): Promise<T> => {
    await played.stop();
    played = play(false);
    const result = await work();
    await played.stop();
    played = play();
    heard = 0;
    return result;
  };
  /** The next report of the scan. */
  const nextReport = async (): Promise<JsonObject> => {
    await eventually(() => expect(played.published.length).toBeGreaterThan(heard));
    const { action, json, drKey, drUuid, knownAs } = played.published[heard] ?? {};
    heard += 1;
    return { action, ...(json ?? drKey ?? { drUuid }), ...(knownAs === undefined ? {} : { knownAs }) };
  };
  const rowOf = async (id = 'a'): Promise<Record<string, unknown> | undefined> =>
    (await played.connection('contact').where({ id }).select('name', 'phone', 'status'))[0] as
      Record<string, unknown> | undefined;
  /** Waits until an edit of another row is reported: nothing that was written before it is left to report. */
  const expectNoReport = async (): Promise<void> => {
    const id = `z${heard}`;
    await source.run(`INSERT INTO contact (id, changed) VALUES ('${id}', ${now[name]})`);
    expect((await nextReport())['id']).toBe(id);
  };

  check(
    'an event writes only the properties that are new, and an unreported edit of another property survives',
    async () => {
      const drUuid = randomUUID();
      await apply('POST', drUuid, { id: 'a', name: 'n0', phone: 'p0' });
      const applied = await paused(async () => {
        await edit(`name = 'name1'`);
        return apply('PUT', drUuid, { id: 'a', name: 'n0', phone: 'phone1' }, ['phone']);
      });
      expect(applied).toEqual({});
      expect(await rowOf()).toMatchObject({ name: 'name1', phone: 'phone1' });
      expect(await nextReport()).toEqual({ action: 'PUT', id: 'a', name: 'name1', phone: 'phone1', knownAs: drUuid });
      await expectNoReport();
    },
  );

  check('an unreported edit of the same property stays, and is reported as kept', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0', phone: 'p0' });
    const applied = await paused(async () => {
      await edit(`name = 'local'`);
      return apply('PUT', drUuid, { id: 'a', name: 'remote', phone: 'phone1' }, ['name', 'phone']);
    });
    expect(applied).toEqual({ kept: ['name'] });
    expect(await rowOf()).toMatchObject({ name: 'local', phone: 'phone1' });
    expect(await nextReport()).toEqual({ action: 'PUT', id: 'a', name: 'local', phone: 'phone1', knownAs: drUuid });
    // the decision of the hub
    expect(await apply('PUT', drUuid, { id: 'a', name: 'remote' }, ['name'])).toEqual({});
    expect(await rowOf()).toMatchObject({ name: 'remote' });
    await expectNoReport();
  });

  check('an edit without a new time is reported too, after an event met it', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0', phone: 'p0' });
    const applied = await paused(async () => {
      await source.run(`UPDATE contact SET name = 'local' WHERE id = 'a'`);
      return apply('PUT', drUuid, { id: 'a', name: 'remote' }, ['name']);
    });
    expect(applied).toEqual({ kept: ['name'] });
    expect(await nextReport()).toMatchObject({ action: 'PUT', name: 'local' });
  });

  check('a row that was never reported keeps its values, and is reported', async () => {
    const applied = await paused(async () => {
      await source.run(`INSERT INTO contact (id, name, phone, changed) VALUES ('a', 'local', 'same', ${now[name]})`);
      return apply('POST', randomUUID(), { id: 'a', name: 'remote', phone: 'same' });
    });
    expect(applied).toEqual({ kept: ['name'] });
    expect(await rowOf()).toMatchObject({ name: 'local', phone: 'same' });
    expect(await nextReport()).toMatchObject({ id: 'a', name: 'local', phone: 'same' });
  });

  check('a deletion that was not reported is not undone', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0', phone: 'p0' });
    const applied = await paused(async () => {
      await source.run(`DELETE FROM contact WHERE id = 'a'`);
      return apply('PUT', drUuid, { id: 'a', name: 'n0', phone: 'p1' }, ['phone']);
    });
    expect(applied).toEqual({ kept: ['phone'] });
    expect(await rowOf()).toBeUndefined();
    expect(await nextReport()).toEqual({ action: 'DELETE', drUuid });
  });

  check('a row with an unreported edit is not deleted, and is reported as a new record', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0', phone: 'p0' });
    const applied = await paused(async () => {
      await edit(`name = 'local'`);
      return apply('DELETE', drUuid, { id: 'a' });
    });
    expect(applied).toEqual({ kept: ['name'] });
    expect(await nextReport()).toMatchObject({ action: 'POST', id: 'a', name: 'local', phone: 'p0' });
    // the hub brings the record back, with another uuid
    expect(await apply('POST', randomUUID(), { id: 'a', name: 'local', phone: 'p0' })).toEqual({});
    expect(await apply('DELETE', drUuid, { id: 'b' })).toEqual({});
    await expectNoReport();
  });

  check('an event that is delivered again has no second effect', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0' });
    await apply('PUT', drUuid, { id: 'a', name: 'n1' }, ['name']);
    const before = await played.connection('contact').select('changed');
    expect(await apply('PUT', drUuid, { id: 'a', name: 'n1' }, ['name'])).toEqual({});
    expect(await played.connection('contact').select('changed')).toEqual(before);
    await expectNoReport();
  });

  check('a reconciliation writes only where the row still has the value that was read', async () => {
    const drUuid = randomUUID();
    await source.run(`INSERT INTO contact (id, name, phone, changed) VALUES ('a', 'l', 'l', ${now[name]})`);
    await nextReport();
    const repair = (read: JsonObject, name_: string): Promise<Applied> =>
      apply('PUT', drUuid, { id: 'a', name: name_, phone: 'r' }, ['name', 'phone'], { read });
    expect(await repair({ name: 'l', phone: 'before' }, 'r')).toEqual({ kept: ['phone'] });
    expect(await rowOf()).toMatchObject({ name: 'r', phone: 'l' });
    // the hub does not know which value stayed, so the row is reported without an edit
    expect(await nextReport()).toMatchObject({ action: 'PUT', id: 'a', name: 'r', phone: 'l' });
    expect(await repair({ name: 'r', phone: 'before' }, 'r')).toEqual({ kept: ['phone'] });
    expect(await nextReport()).toMatchObject({ action: 'PUT', phone: 'l' });
    // a value that was read counts as reported
    const repaired = await paused(async () => {
      await edit(`name = 'edited', phone = 'edited'`);
      return repair({ name: 'edited', phone: 'l' }, 'n');
    });
    expect(repaired).toEqual({ kept: ['phone'] });
    expect(await rowOf()).toMatchObject({ name: 'n', phone: 'edited' });
    expect(await nextReport()).toMatchObject({ action: 'PUT', name: 'n', phone: 'edited' });
    await expectNoReport();
  });

  check('a reconciliation brings back a row that was lost without a report', async () => {
    await source.run(`INSERT INTO contact (id, name, changed) VALUES ('a', 'n', ${now[name]})`);
    await nextReport();
    const drUuid = randomUUID();
    const send = (more: Partial<IncomingEvent>): Promise<Applied> =>
      apply('POST', drUuid, { id: 'a', name: 'n', phone: 'p' }, ['id', 'name', 'phone'], more);
    const outcomes = await paused(async () => {
      await source.run('DELETE FROM contact');
      // a change of another system does not undo a deletion, and neither does one of values that were read before it
      return [await send({}), await send({ read: { name: 'n' } }), await rowOf(), await send({ read: {} })];
    });
    const kept = ['id', 'name', 'phone'];
    expect(outcomes).toEqual([{ kept }, { kept }, undefined, {}]);
    expect(await rowOf()).toMatchObject({ name: 'n', phone: 'p' });
    await expectNoReport();
  });

  check('a default of the database is not a change, and is left out until a user changes it', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n0' });
    await expectNoReport();
    await edit(`name = 'n1'`);
    expect(await nextReport()).toEqual({ action: 'PUT', id: 'a', name: 'n1', knownAs: drUuid });
    await edit(`status = 'old'`);
    expect(await nextReport()).toEqual({ action: 'PUT', id: 'a', name: 'n1', status: 'old', knownAs: drUuid });
  });

  check('names the properties that it cannot write', async () => {
    const drUuid = randomUUID();
    const notApplied = [{ property: 'shoeSize', reason: 'no column is mapped to it' }];
    expect(await apply('POST', drUuid, { id: 'a', shoeSize: 40 })).toEqual({ notApplied });
    expect(await apply('PUT', drUuid, { id: 'a', shoeSize: 40, name: 'n1' }, ['name'])).toEqual({});
    expect(await apply('PUT', drUuid, { id: 'a', shoeSize: 41, name: 'n1' }, ['shoeSize'])).toEqual({ notApplied });
  });

  check('are applied at once when new rows arrive at the same time', async () => {
    const ids = Array.from({ length: 80 }, (_, index) => `new-${index}`);
    const applied = await paused(() => Promise.all(ids.map((id) => apply('POST', randomUUID(), { id, name: 'Ada' }))));
    expect(applied).toEqual(ids.map(() => ({})));
  });

  describe.each(roundings[name].map((one) => [`${one.column} ${one.ddl}`, one] as const))('a column %s', (_, one) => {
    const { column, sent, stored } = one;
    const exact = { id: 'a', name: 'n0', [column]: sent };

    check('is not reported, and other reports repeat the exact value', async () => {
      const drUuid = randomUUID();
      await apply('POST', drUuid, exact);
      await expectNoReport();
      await edit(`name = 'n1'`);
      expect(await nextReport()).toEqual({ action: 'PUT', ...exact, name: 'n1', knownAs: drUuid });
      await apply('PUT', drUuid, { ...exact, phone: 'p' }, ['phone', column]);
      await expectNoReport();
      // a user empties the column
      await edit(`${column} = NULL`);
      expect(await nextReport()).toMatchObject({ action: 'PUT', [column]: null });
      // and an event fills it again
      expect(await apply('PUT', drUuid, exact, [column])).toEqual({});
      await edit(`name = 'n2'`);
      expect(await nextReport()).toMatchObject({ name: 'n2', [column]: sent });
    });

    check('is not reported by a scan after a crash between the commit and the state', async () => {
      const drUuid = randomUUID();
      await apply('POST', drUuid, { id: 'a', name: 'n0' });
      await paused(async () => {
        // the state of the effect fails like in a process that ends; twice, because the event is delivered again
        const stateStore = new Database(stateFile);
        stateStore.exec(`CREATE TRIGGER crash BEFORE UPDATE ON known_row WHEN NEW.digest <> OLD.digest
          BEGIN SELECT RAISE(ABORT, 'the process ended'); END`);
        try {
          await expect(apply('PUT', drUuid, { ...exact, name: 'n0' }, [column])).rejects.toThrow('the process ended');
          await source.run(`UPDATE contact SET ${column} = NULL WHERE id = 'a'`);
          await expect(apply('PUT', drUuid, { ...exact, name: 'n0' }, [column])).rejects.toThrow('the process ended');
        } finally {
          stateStore.exec('DROP TRIGGER crash');
          stateStore.close();
        }
      });
      await edit(`phone = 'p1'`);
      expect(await nextReport()).toEqual({ action: 'PUT', ...exact, name: 'n0', phone: 'p1', knownAs: drUuid });
    });

    check('is reported exactly by a scan after a crash between the commit of a new row and the state', async () => {
      await paused(async () => {
        const stateStore = new Database(stateFile);
        stateStore.exec(`CREATE TRIGGER crash BEFORE INSERT ON known_row WHEN NEW.digest <> 'noted'
          BEGIN SELECT RAISE(ABORT, 'the process ended'); END`);
        try {
          await expect(apply('POST', randomUUID(), exact)).rejects.toThrow('the process ended');
        } finally {
          stateStore.exec('DROP TRIGGER crash');
          stateStore.close();
        }
      });
      expect(await nextReport()).toMatchObject({ action: 'POST', ...exact });
      await edit(`name = 'n1'`);
      expect(await nextReport()).toMatchObject({ action: 'PUT', ...exact, name: 'n1' });
    });

    check('leaves no note when the row is not created, so its deletion is not reported', async () => {
      await source.run(`INSERT INTO contact (id, name, changed) VALUES ('b', 'n', ${now[name]})`);
      await nextReport();
      await source.run(
        name === 'SQLite'
          ? `CREATE UNIQUE INDEX one_name ON contact (name)`
          : `ALTER TABLE contact ADD CONSTRAINT one_name UNIQUE (name)`,
      );
      try {
        await expect(apply('POST', randomUUID(), { ...exact, name: 'n' })).rejects.toThrow();
        await expectNoReport();
        // a user makes the row with the rounded value
        await source.run(
          `INSERT INTO contact (id, name, ${column}, changed) VALUES ('a', 'n1', ${literal(stored)}, ${now[name]})`,
        );
        expect(await nextReport()).toMatchObject({ action: 'POST', id: 'a', [column]: stored });
      } finally {
        await source.run(
          name === 'PostgreSQL'
            ? 'ALTER TABLE contact DROP CONSTRAINT one_name'
            : `DROP INDEX one_name${name === 'MariaDB' ? ' ON contact' : ''}`,
        );
      }
    });

    check(
      'is not a local change when an event is delivered again without the state of its first delivery',
      async () => {
        const drUuid = randomUUID();
        await apply('POST', drUuid, { id: 'a', name: 'n0' });
        await paused(async () => {
          // the process ended between the commit of the database and its state
          await source.run(`UPDATE contact SET ${column} = ${literal(stored)} WHERE id = 'a'`);
          expect(await apply('PUT', drUuid, exact, [column])).toEqual({});
        });
        await edit(`name = 'n1'`);
        expect(await nextReport()).toEqual({ action: 'PUT', ...exact, name: 'n1', knownAs: drUuid });
      },
    );
  });
});

const literal = (value: JsonValue): string => {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)T(.*)Z$/, '$1 $2') : JSON.stringify(value);
  return `'${text}'`;
};
