import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { ApplyError, type Applied } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columnWritings } from '../testing/column-writings.js';
import { incomingEvent } from '../testing/incoming-event.js';
import { playTable, type PlayedTable } from '../testing/play-table.js';
import { testOn, testSources, type TestedDatabase, type TestSource } from '../testing/test-sources.js';

const databases = Object.keys(testSources) as TestedDatabase[];

const dialects: Readonly<Record<TestedDatabase, { readonly moment: string; readonly now: string }>> = {
  PostgreSQL: { moment: 'timestamptz', now: 'clock_timestamp()' },
  MariaDB: { moment: 'datetime(6)', now: 'utc_timestamp(6)' },
  SQLite: { moment: 'TEXT', now: `strftime('%Y-%m-%d %H:%M:%f', 'now')` },
};

/** A text that shows the value as the page does; numbers of any size compare by it. */
const spelled = (value: JsonValue | undefined): string =>
  value === undefined ? 'data issue' : stringifyJson([value]).slice(1, -1);

describe.each(databases)('values that events write to column types of %s', (name) => {
  const { open, missing } = testSources[name];
  const check = testOn(missing);
  const writings = columnWritings[name];
  const { moment, now } = dialects[name];
  const folder = mkdtempSync(join(tmpdir(), 'fds-writings-'));
  let source: TestSource;
  let played: PlayedTable;

  beforeAll(async () => {
    if (missing !== undefined) return;
    source = await open();
    const columns = writings.map(({ type }, at) => `v${at} ${type}`).join(', ');
    await source.run(`CREATE TABLE typed (id int PRIMARY KEY, note int, ${columns}, changed ${moment} NOT NULL)`);
    played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
        dataColumns: {
          id: { source: 'id', columnType: 'LONG' },
          note: { source: 'note', columnType: 'LONG' },
          ...Object.fromEntries(writings.map(({ columnType }, at) => [`v${at}`, { source: `v${at}`, columnType }])),
        },
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'typed' },
        scanOptions: { scanIntervalMilliseconds: 100 },
      },
      stateFile: join(folder, `${randomUUID()}.sqlite`),
      drKeyProperties: ['id'],
    });
  });
  afterAll(async () => {
    await played?.stop();
    await source?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const apply = (
    action: 'POST' | 'PUT',
    drUuid: string,
    json: JsonObject,
    changed: readonly string[],
  ): Promise<Applied> => played.handler.apply(incomingEvent(json['id'] ?? null, { action, drUuid, json, changed }));
  /** The values of the rows, as the adaptor reads them. */
  const held = async (): Promise<ReadonlyMap<number, JsonObject>> => {
    const { records } = await played.handler.assemble({
      requestUuid: randomUUID(),
      domain: 'thing',
      version: 1,
      domainVersionUuid: randomUUID(),
      requestedProperties: null,
      timeoutMilliseconds: 1_000,
      records: null,
      page: 0,
      size: 1_000,
    });
    return new Map(records.flatMap(({ data }) => (data === null ? [] : [[Number(data['id']), data]])));
  };

  for (const action of ['POST', 'PUT'] as const)
    check(`are held as the table says, or a data issue, by ${action}`, async () => {
      const offset = action === 'POST' ? 0 : 1_000;
      const seen: string[] = [];
      const refusals: string[] = [];
      for (const [at, { received }] of writings.entries()) {
        const [drUuid, id] = [randomUUID(), offset + at];
        if (action === 'PUT') await apply('POST', drUuid, { id }, ['id']);
        const error: unknown = await apply(action, drUuid, { id, [`v${at}`]: received }, [`v${at}`]).then(
          (applied) => expect(applied).toEqual({}),
          (cause: unknown) => cause,
        );
        if (error === undefined) continue;
        expect(error).toBeInstanceOf(ApplyError);
        const { kind, retry } = error as ApplyError;
        expect({ at, kind, retry }).toEqual({ at, kind: 'DATA', retry: 'NEVER' });
        refusals.push(`v${at}`);
      }
      const rows = await held();
      for (const [at, { type, columnType, received }] of writings.entries())
        seen.push(
          `${type} ${columnType} ${spelled(received)}: ${spelled(refusals.includes(`v${at}`) ? undefined : rows.get(offset + at)?.[`v${at}`])}`,
        );
      expect(seen).toEqual(
        writings.map(
          ({ type, columnType, received, held: expected }) =>
            `${type} ${columnType} ${spelled(received)}: ${spelled(expected)}`,
        ),
      );
    });

  for (const action of ['POST', 'PUT'] as const)
    check(`are the same for events that are written together, by ${action}`, async () => {
      const offset = action === 'POST' ? 10_000 : 20_000;
      const seen: string[] = [];
      for (const [at, { received }] of writings.entries()) {
        // the first one begins at once, and the others are written together
        const ids = [0, 1, 2, 3].map((copy) => offset + at * 10 + copy);
        const drUuids = ids.map(() => randomUUID());
        const send = (which: 'POST' | 'PUT', json: JsonObject) =>
          Promise.allSettled(
            ids.map((id, copy) => apply(which, drUuids[copy] ?? '', { id, ...json }, ['id', ...Object.keys(json)])),
          );
        if (action === 'PUT') await send('POST', {});
        const results = await send(action, { [`v${at}`]: received });
        const rows = await held();
        for (const [copy, { status }] of results.entries())
          seen.push(spelled(status === 'rejected' ? undefined : rows.get(ids[copy] ?? 0)?.[`v${at}`]));
      }
      expect(seen).toEqual(writings.flatMap(({ held: expected }) => Array<string>(4).fill(spelled(expected))));
      await source.run('DELETE FROM typed WHERE id >= 10000');
    });

  check('do not travel back, and reports repeat the exact values', async () => {
    // no row was reported until a user edited it
    expect(played.published).toEqual([]);
    const written = [...writings.entries()].filter(([, one]) => one.held !== undefined);
    await source.run(
      `UPDATE typed SET note = 1, changed = ${now} WHERE id IN (${written.map(([at]) => at).join(', ')})`,
    );
    await eventually(() => expect(played.published).toHaveLength(written.length));
    const reported = new Map(played.published.map(({ json }) => [Number(json?.['id']), json]));
    expect(written.map(([at]) => spelled(reported.get(at)))).toEqual(
      written.map(([at, { received }]) => spelled({ id: at, note: 1, [`v${at}`]: received })),
    );
    expect(played.reported).toEqual([]);
  });
});

it.each(databases)('the page shows the value that a column of %s holds', (name) => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../../docs/reference/database-column-types.md', import.meta.url)),
    'utf8',
  );
  const [, section = ''] = page.split(`\n### Values written to ${name}\n`);
  const rows = (section.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const code = (text: string): string => `\`${text}\``;
  expect(rows.slice(2)).toEqual(
    columnWritings[name].map(
      ({ type, columnType, received, held }) =>
        `| ${code(type)} | ${code(columnType)} | ${code(spelled(received))} | ${held === undefined ? 'data issue' : code(spelled(held))} |`,
    ),
  );
});
