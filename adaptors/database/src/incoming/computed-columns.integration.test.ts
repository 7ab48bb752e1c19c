import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { JsonObject } from '@fds/adaptor-protocol';
import type { Applied, IncomingEvent } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

interface Dialect {
  readonly text: string;
  readonly moment: string;
  readonly now: string;
  /** Statements that make the view `t` of the table `base`, with a computed column; events can be written to it. */
  readonly view: readonly string[];
}

const dialects: Readonly<Record<TestedDatabase, Dialect>> = {
  PostgreSQL: {
    text: 'varchar(40)',
    moment: 'timestamptz',
    now: 'clock_timestamp()',
    view: ['CREATE VIEW t AS SELECT id, name, phone, length(name) AS size, changed FROM base'],
  },
  MariaDB: {
    text: 'varchar(40)',
    moment: 'datetime(6)',
    now: 'utc_timestamp(6)',
    view: ['CREATE VIEW t AS SELECT id, name, phone, length(name) AS size, changed FROM base'],
  },
  SQLite: {
    text: 'TEXT',
    moment: 'TEXT',
    now: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
    view: [
      'CREATE VIEW t AS SELECT id, name, phone, length(name) AS size, changed FROM base',
      `CREATE TRIGGER t_insert INSTEAD OF INSERT ON t BEGIN
        INSERT INTO base (id, name, phone, changed) VALUES (NEW.id, NEW.name, NEW.phone, NEW.changed); END`,
      `CREATE TRIGGER t_update INSTEAD OF UPDATE ON t BEGIN
        UPDATE base SET name = NEW.name, phone = NEW.phone, changed = NEW.changed WHERE id = OLD.id; END`,
    ],
  },
};

const forms = ['a generated column', 'a column of a view'] as const;
const cases = Object.keys(testSources).flatMap((name) => forms.map((form) => [form, name as TestedDatabase] as const));

describe.each(cases)('%s of %s', (form, name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const { text, moment, now, view } = dialects[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-computed-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    const isView = form === 'a column of a view';
    const size = isView ? '' : 'size int GENERATED ALWAYS AS (length(name)) STORED,';
    await source.run(
      `CREATE TABLE ${isView ? 'base' : 't'} (id ${text} PRIMARY KEY, name ${text}, phone ${text}, ${size} changed ${moment} NOT NULL)`,
      ...(isView ? view : []),
    );
  });
  beforeEach(async () => {
    if (missing !== undefined) return;
    await source.run(`DELETE FROM ${form === 'a column of a view' ? 'base' : 't'}`);
    played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
        dataColumns: {
          id: { source: 'id', columnType: 'STRING' },
          name: { source: 'name', columnType: 'STRING' },
          phone: { source: 'phone', columnType: 'STRING' },
          size: { source: 'size', columnType: 'LONG', insertable: false, updatable: false },
        },
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 't' },
        scanOptions: { scanIntervalMilliseconds: 50 },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
    });
  });
  afterEach(() => played?.stop());
  afterAll(async () => {
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const apply = (
    action: IncomingEvent['action'],
    drUuid: string,
    json: JsonObject & { readonly id: string },
    changed: readonly string[],
  ): Promise<Applied> => played.handler.apply(incomingEvent(json.id, { action, drUuid, json, changed }));
  const edit = (id: string, set: string): Promise<void> =>
    source.run(`UPDATE t SET ${set}, changed = ${now} WHERE id = '${id}'`);
  const untilReported = (...expected: JsonObject[]): Promise<void> =>
    eventually(() => expect(played.published.map(({ json }) => json)).toEqual(expected));

  check('is not an edit by a user when an event changes it, and keeps its value in other systems', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'a', name: 'n1', size: 5 }, ['id', 'name', 'size']);
    await expect(apply('PUT', drUuid, { id: 'a', name: 'name2', size: 9 }, ['name', 'size'])).resolves.toMatchObject({
      notApplied: [{ property: 'size' }],
    });
    await apply('PUT', drUuid, { id: 'a', name: 'nam3', size: 9 }, ['name']);
    await edit('a', `phone = 'p1'`);
    await untilReported({ id: 'a', name: 'nam3', phone: 'p1' });
  });

  check('is reported when the edit of a user changes it, and after that with each event', async () => {
    const drUuid = randomUUID();
    await apply('POST', drUuid, { id: 'b', name: 'n1' }, ['id', 'name']);
    await edit('b', `name = 'name2'`);
    const first = { id: 'b', name: 'name2', size: 5 };
    await untilReported(first);
    // the other systems have the value from here
    await apply('PUT', drUuid, { id: 'b', name: 'nam3', size: 5 }, ['name']);
    await untilReported(first, { id: 'b', name: 'nam3', size: 4 });
  });
});
