import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { Applied } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent, refusalOf } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

/** A form in which a database refuses a row. */
interface Refusal {
  readonly ddl: readonly string[];
  /** Columns in addition to `id`; all are texts of the model, unless they are in `longs`. */
  readonly columns: readonly string[];
  readonly longs?: readonly string[];
  readonly json: JsonObject;
  readonly title: RegExp;
  readonly kind?: 'CONFIGURATION';
}

const secret = 'geheim';
const silentTrigger = (body: string): string =>
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`;

const refusals: Readonly<Record<TestedDatabase, Readonly<Record<string, Refusal>>>> = {
  PostgreSQL: {
    'an exception of a trigger': {
      ddl: [
        'CREATE TABLE t (id text PRIMARY KEY, v text)',
        silentTrigger(`RAISE EXCEPTION 'business rule 17' USING ERRCODE = 'AB123';`),
        'CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION refuse()',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /^The database refused the row: business rule 17$/,
    },
    'a trigger that returns NULL': {
      ddl: [
        'CREATE TABLE t (id text PRIMARY KEY, v text)',
        silentTrigger('RETURN NULL;'),
        'CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION refuse()',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'a trigger that changes the key': {
      ddl: [
        'CREATE TABLE t (id text PRIMARY KEY, v text)',
        silentTrigger(`NEW.id := NEW.id || '-2'; RETURN NEW;`),
        'CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION refuse()',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'a text with U+0000': {
      ddl: ['CREATE TABLE t (id text PRIMARY KEY, v text)'],
      columns: ['v'],
      json: { v: 'a\u0000b' },
      title: /contains the character U\+0000/,
    },
    'a view whose trigger does nothing': {
      ddl: [
        'CREATE TABLE base (id text PRIMARY KEY, v text)',
        'CREATE VIEW t AS SELECT * FROM base',
        silentTrigger('RETURN NEW;'),
        'CREATE TRIGGER r INSTEAD OF INSERT ON t FOR EACH ROW EXECUTE FUNCTION refuse()',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'a view that cannot be written': {
      ddl: ['CREATE TABLE base (id text, v text)', 'CREATE VIEW t AS SELECT id, max(v) AS v FROM base GROUP BY id'],
      columns: ['v'],
      json: { v: secret },
      title: /^$/,
      kind: 'CONFIGURATION',
    },
    'a missing value': {
      ddl: ['CREATE TABLE t (id text PRIMARY KEY, v text NOT NULL)'],
      columns: ['v'],
      json: {},
      title: /^The database refused the row: v must not be empty$/,
    },
    'an ENUM without the value': {
      ddl: [`CREATE TYPE mood AS ENUM ('a')`, 'CREATE TABLE t (id text PRIMARY KEY, v mood)'],
      columns: ['v'],
      json: { v: secret },
      title: /cannot hold the value/,
    },
    'a check': {
      ddl: [`CREATE TABLE t (id text PRIMARY KEY, v text CONSTRAINT short CHECK (v = 'a'))`],
      columns: ['v'],
      json: { v: secret },
      title: /a rule of the table is not met: short/,
    },
    'a domain type': {
      ddl: [
        `CREATE DOMAIN d AS text CONSTRAINT d_rule CHECK (VALUE = 'a')`,
        'CREATE TABLE t (id text PRIMARY KEY, v d)',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /a rule of the table is not met: d_rule/,
    },
    'an exclusion': {
      ddl: [
        'CREATE TABLE t (id text PRIMARY KEY, v text, EXCLUDE (v WITH =))',
        `INSERT INTO t VALUES ('other', '${secret}')`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /it conflicts with another row/,
    },
    'a deferred constraint': {
      ddl: [
        'CREATE TABLE base (id text PRIMARY KEY)',
        'CREATE TABLE t (id text PRIMARY KEY, v text REFERENCES base DEFERRABLE INITIALLY DEFERRED)',
      ],
      columns: ['v'],
      json: { v: secret },
      title: /v refers to does not exist/,
    },
    'no partition': {
      ddl: ['CREATE TABLE t (id text, v text) PARTITION BY LIST (v)'],
      columns: ['v'],
      json: { v: secret },
      title: /no partition of the table takes it/,
    },
    'a generated column': {
      ddl: [`CREATE TABLE t (id text PRIMARY KEY, v text GENERATED ALWAYS AS (id || 'x') STORED)`],
      columns: ['v'],
      json: { v: secret },
      title: /the database computes v itself/,
    },
  },
  MariaDB: {
    'a trigger that changes the key': {
      ddl: [
        'CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40))',
        `CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.id = concat(NEW.id, '-2')`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'a signal of a trigger': {
      ddl: [
        'CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40))',
        `CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'business rule 17'`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /business rule 17/,
    },
    'an ENUM without the value': {
      ddl: [`CREATE TABLE t (id varchar(40) PRIMARY KEY, v ENUM ('a'))`],
      columns: ['v'],
      json: { v: secret },
      title: /v cannot hold the value/,
    },
    'a SET without the value': {
      ddl: [`CREATE TABLE t (id varchar(40) PRIMARY KEY, v SET ('a'))`],
      columns: ['v'],
      json: { v: secret },
      title: /v cannot hold the value/,
    },
    'a check': {
      ddl: [`CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40), CONSTRAINT short CHECK (v = 'a'))`],
      columns: ['v'],
      json: { v: secret },
      title: /a rule of the table is not met/,
    },
    'a missing value': {
      ddl: ['CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40) NOT NULL)'],
      columns: ['v'],
      json: { v: null },
      title: /v must not be empty/,
    },
    'a missing value without a default': {
      ddl: ['CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40) NOT NULL)'],
      columns: ['v'],
      json: {},
      title: /^The database refused the row: v must not be empty$/,
    },
    'a text that is too long': {
      ddl: ['CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(3))'],
      columns: ['v'],
      json: { v: secret },
      title: /the text of v is too long/,
    },
    'no partition': {
      ddl: ['CREATE TABLE t (id varchar(40), v int) PARTITION BY LIST (v) (PARTITION p VALUES IN (1))'],
      columns: ['v'],
      longs: ['v'],
      json: { v: 2 },
      title: /no partition of the table takes it/,
    },
    'a generated column': {
      ddl: [`CREATE TABLE t (id varchar(40) PRIMARY KEY, v varchar(40) AS (concat(id, 'x')) STORED)`],
      columns: ['v'],
      json: { v: secret },
      title: /the database computes v itself/,
    },
  },
  SQLite: {
    'a trigger that changes the key': {
      ddl: [
        'CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT)',
        `CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET id = NEW.id || '-2' WHERE id = NEW.id; END`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'an exception of a trigger': {
      ddl: [
        'CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT)',
        `CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'business rule 17'); END`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /business rule 17/,
    },
    'a trigger that ignores the row': {
      ddl: [
        'CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT)',
        `CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(IGNORE); END`,
      ],
      columns: ['v'],
      json: { v: secret },
      title: /did not take over the record/,
    },
    'a missing value': {
      ddl: ['CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT NOT NULL)'],
      columns: ['v'],
      json: { v: null },
      title: /v must not be empty/,
    },
    'a check': {
      ddl: [`CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT CHECK (v = 'a'))`],
      columns: ['v'],
      json: { v: secret },
      title: /a rule of the table is not met/,
    },
    'a generated column': {
      ddl: [`CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT GENERATED ALWAYS AS (id || 'x') STORED)`],
      columns: ['v'],
      json: { v: secret },
      title: /the database computes v itself/,
    },
  },
};

/** Key columns with an equality that is coarser than that of the hub: keys that meet each other. */
const keys: Readonly<Record<TestedDatabase, readonly (readonly [ddl: string, first: string, second: string])[]>> = {
  PostgreSQL: [
    ['citext', 'abc', 'ABC'],
    ['text COLLATE folded', 'abc', 'ABC'],
    ['char(10)', 'x', 'x '],
  ],
  MariaDB: [
    ['varchar(40) COLLATE utf8mb4_general_ci', 'abc', 'ABC'],
    ['varchar(40) COLLATE utf8mb4_general_ci', 'e', 'é'],
    ['varchar(40) COLLATE utf8mb4_bin', 'x', 'x '],
  ],
  SQLite: [
    ['TEXT COLLATE NOCASE', 'abc', 'ABC'],
    ['TEXT COLLATE RTRIM', 'x', 'x '],
  ],
};

describe.each(Object.keys(testSources) as TestedDatabase[])('%s refuses', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const folder = mkdtempSync(join(tmpdir(), 'fds-refusals-'));
  let source: TestSource;
  const drop =
    name === 'PostgreSQL' ? ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public'] : ['DROP TABLE IF EXISTS t'];

  beforeAll(async () => {
    if (missing === undefined) source = await open();
  });
  afterAll(async () => {
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const play = (columns: readonly string[], longs: readonly string[] = []): PlayedTable =>
    playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        dataColumns: Object.fromEntries(
          ['id', ...columns].map((column) => [
            column,
            { source: column, columnType: longs.includes(column) ? 'LONG' : 'STRING' },
          ]),
        ),
        dataSource: { tableName: 't' },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
    });
  const post = (played: PlayedTable, json: JsonObject & { id: string }, drUuid = randomUUID()): Promise<Applied> =>
    played.handler.apply(incomingEvent(json.id, { action: 'POST', drUuid, json, changed: Object.keys(json) }));

  for (const [form, { ddl, columns, longs, json, title, kind }] of Object.entries(refusals[name]))
    check(`a row by ${form}, and says so`, async () => {
      await source.run(...drop, ...ddl);
      const played = play(columns, longs);
      try {
        const error = await refusalOf(post(played, { id: 'a', ...json }));
        if (kind === undefined)
          expect(error).toMatchObject({
            kind: 'DATA',
            retry: form === 'a deferred constraint' ? 'WHILE_OTHERS_WORK' : 'NEVER',
          });
        else expect(error).toMatchObject({ kind, retry: 'UNTIL_IT_WORKS', waitsFor: 'thing:1' });
        expect(error.title ?? '').toMatch(title);
        // the statement has the name of the table in quotes
        expect(error.message).not.toMatch(/insert into ["`]|values \(|geheim/i);
        expect((await played.connection('t').where({ id: 'a' })).length).toBe(0);
      } finally {
        await played.stop();
      }
    });

  if (name !== 'PostgreSQL')
    check('no text with U+0000, because the database holds it, also in a key', async () => {
      const text = name === 'SQLite' ? 'TEXT' : 'varchar(40) COLLATE utf8mb4_nopad_bin';
      await source.run(...drop, `CREATE TABLE t (id ${text} PRIMARY KEY, v ${text})`);
      const played = play(['v']);
      const drUuid = randomUUID();
      try {
        const id = 'a\u0000b';
        expect(await post(played, { id, v: 'v\u00001' }, drUuid)).toEqual({});
        // the row is found again
        expect(await post(played, { id, v: 'v\u00002' }, drUuid)).toEqual({});
        expect(await played.connection('t').select(played.connection.raw('hex(id) AS id, hex(v) AS v'))).toEqual([
          { id: '610062', v: '760032' },
        ]);
      } finally {
        await played.stop();
      }
    });

  check('an update by a trigger that changes the key', async () => {
    const text = name === 'MariaDB' ? 'varchar(40)' : 'text';
    const begin = {
      PostgreSQL: [
        silentTrigger(`NEW.id := NEW.id || '-2'; RETURN NEW;`),
        'CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION refuse()',
      ],
      MariaDB: [`CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW SET NEW.id = concat(NEW.id, '-2')`],
      SQLite: [`CREATE TRIGGER r AFTER UPDATE OF v ON t BEGIN UPDATE t SET id = NEW.id || '-2' WHERE id = NEW.id; END`],
    }[name];
    await source.run(...drop, `CREATE TABLE t (id ${text} PRIMARY KEY, v ${text})`);
    const played = play(['v']);
    const drUuid = randomUUID();
    try {
      await post(played, { id: 'a', v: 'old' }, drUuid);
      await source.run(...begin);
      const error = await refusalOf(post(played, { id: 'a', v: 'new' }, drUuid));
      expect(error).toMatchObject({ kind: 'DATA', retry: 'NEVER' });
      expect(error.title).toMatch(/did not take over the record/);
      expect(await played.connection('t').select('id', 'v')).toEqual([{ id: 'a', v: 'old' }]);
    } finally {
      await played.stop();
    }
  });

  for (const [column, first, second] of keys[name])
    check(`the key ${JSON.stringify(second)} that meets ${JSON.stringify(first)} in ${column}`, async () => {
      await source.run(
        ...drop,
        ...(name === 'PostgreSQL'
          ? [
              'CREATE EXTENSION IF NOT EXISTS citext',
              `CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
            ]
          : []),
        `CREATE TABLE t (id ${column} PRIMARY KEY, v ${name === 'SQLite' ? 'TEXT' : 'varchar(40)'})`,
      );
      const played = play(['v']);
      const drUuid = randomUUID();
      try {
        await post(played, { id: first, v: 'first' }, drUuid);
        const error = await refusalOf(post(played, { id: second, v: 'second' }));
        expect(error).toMatchObject({ kind: 'DATA', retry: 'NEVER', properties: ['id'] });
        expect(error.title).toContain(first);
        expect(await played.connection('t').select('v')).toEqual([{ v: 'first' }]);
        // the row still belongs to its record, also when the event is delivered again
        expect(await post(played, { id: first, v: 'again' }, drUuid)).toEqual({});
        expect(await played.connection('t').select('v')).toEqual([{ v: 'again' }]);
      } finally {
        await played.stop();
      }
    });
});
