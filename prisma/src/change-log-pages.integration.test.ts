import { createHash } from 'node:crypto';
import { parseJson } from '@fds/json';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listLogPages, sealLogPage, type LogPage } from './change-log-pages.js';
import { listChangeLines } from './list-changes.js';
import { loadSettledHead } from './load-settled-head.js';
import { logChanges, type Change } from './change-log.js';
import { pruneChangeLog } from './prune-change-log.js';
import { rewriteChanges } from './rewrite-changes.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(() => database.pool.query('DELETE FROM change_log; DELETE FROM change_log_page'));
afterAll(() => database?.drop());

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const change = (number: number): Change => ({
  action: 'POST',
  resourceType: number % 3 === 0 ? 'Dr' : 'Zone',
  resource: `/zones/${number}`,
  data: { name: `line "${number}" \n ü`, big: 9_223_372_036_854_775_807n, none: null },
  ...(number % 2 === 0 ? {} : { actorUuid: '018f0000-0000-7000-8000-000000000002' }),
});
const write = (count: number): Promise<void> =>
  logChanges(
    database.pool,
    Array.from({ length: count }, (_, number) => change(number)),
  );
const seal = async (sealBefore = new Date(0)) =>
  sealLogPage(database.pool, { settled: await loadSettledHead(database.pool), pageEntries: 4, sealBefore });
/** Seals everything that was written. */
const sealAll = async (): Promise<void> => {
  while ((await seal(new Date(Date.now() + 60_000))) !== undefined);
};
const pages = async (): Promise<readonly LogPage[]> =>
  (await listLogPages(database.pool, { after: 0n, limit: 100 })).pages;
const faultsOf = async (): Promise<readonly string[]> =>
  (await pages()).flatMap(({ page, faults }) => faults.map(({ kind, position }) => `${page} ${kind} ${position}`));
const positions = async (): Promise<readonly bigint[]> => {
  const { rows } = await database.pool.query<{ position: bigint }>('SELECT position FROM change_log ORDER BY position');
  return rows.map(({ position }) => position);
};
const allLines = async (): Promise<readonly string[]> => {
  const page = { order: 'OLDEST_FIRST', after: undefined, limit: 1000, maxBytes: 2 ** 22 } as const;
  return (await listChangeLines(database.pool, {}, page)).lines;
};

describe('a page', () => {
  it('is sealed when it is full, or when its oldest entry is old, by one of several processes', async () => {
    await write(9);
    await Promise.all(Array.from({ length: 6 }, () => seal()));
    expect(await seal()).toBeUndefined();
    expect((await pages()).map(({ page, entries, state }) => `${page} ${entries} ${state}`)).toEqual([
      '1 4 INTACT',
      '2 4 INTACT',
    ]);
    expect(await seal(new Date(Date.now() + 60_000))).toMatchObject({ number: 3n, entries: 1 });
    expect(await seal(new Date(Date.now() + 60_000))).toBeUndefined();
  });

  it('can be computed from lines that contain what was logged, digit by digit', async () => {
    await write(6);
    await sealAll();
    const lines = await allLines();
    let previous: Buffer = Buffer.alloc(32);
    for (const { firstPosition, lastPosition, previousHash, hash, digests, state } of await pages()) {
      const own = lines.filter((line) => {
        const { position } = JSON.parse(line) as { readonly position: number };
        return position >= firstPosition && position <= lastPosition;
      });
      expect(digests.map(({ digest }) => digest)).toEqual(own.map((line) => sha256(line).toString('hex')));
      expect(previousHash).toBe(previous.toString('hex'));
      previous = sha256(previous, ...own.map((line) => sha256(line)));
      expect([hash, state]).toEqual([previous.toString('hex'), 'INTACT']);
    }
    const [position = 0n] = await positions();
    expect(parseJson(lines[0] ?? '')).toEqual({
      position: Number(position),
      dateCreated: expect.any(Number),
      action: 'POST',
      resource: '/zones/0',
      type: 'Dr',
      resourceUuid: null,
      zoneUuid: null,
      actorUuid: null,
      data: { name: 'line "0" \n ü', big: 9_223_372_036_854_775_807n, none: null },
    });
  });
});

describe('the proof', () => {
  beforeEach(async () => {
    await write(10);
    await sealAll();
    expect(await faultsOf()).toEqual([]);
  });

  it.each<[string, (at: readonly bigint[]) => readonly [string, unknown[]], (at: readonly bigint[]) => string[]]>([
    [
      'a changed entry',
      (at) => ['UPDATE change_log SET data = $2 WHERE position = $1', [at[1], '{}']],
      (at) => [`1 CHANGED ${at[1]}`],
    ],
    [
      'a changed time',
      (at) => ["UPDATE change_log SET date_created = date_created - interval '1 ms' WHERE position = $1", [at[5]]],
      (at) => [`2 CHANGED ${at[5]}`],
    ],
    [
      'a changed actor',
      (at) => ['UPDATE change_log SET actor_uuid = NULL WHERE position = $1', [at[1]]],
      (at) => [`1 CHANGED ${at[1]}`],
    ],
    [
      'a deleted entry',
      (at) => ['DELETE FROM change_log WHERE position = $1', [at[2]]],
      (at) => [`1 MISSING ${at[2]}`],
    ],
    [
      'the deleted last entry',
      (at) => ['DELETE FROM change_log WHERE position = $1', [at[9]]],
      (at) => [`3 MISSING ${at[9]}`],
    ],
    [
      'entries that have swapped places',
      (at) => [
        `UPDATE change_log c SET (action, resource_type, resource, actor_uuid, data) =
           (SELECT action, resource_type, resource, actor_uuid, data FROM change_log o WHERE o.position = $1::bigint + $2 - c.position)
         WHERE position IN ($1, $2)`,
        [at[4], at[5]],
      ],
      (at) => [`2 CHANGED ${at[4]}`, `2 CHANGED ${at[5]}`],
    ],
    [
      'a changed page',
      () => ["UPDATE change_log_page SET hash = sha256('x') WHERE number = 2", []],
      () => ['2 CHAIN null', '3 CHAIN null'],
    ],
    ['a deleted page', () => ['DELETE FROM change_log_page WHERE number = 2', []], () => ['3 CHAIN null']],
    [
      'digests that were fitted to a changed entry',
      (at) => [
        `WITH changed AS (UPDATE change_log SET data = '{}' WHERE position = $1)
         UPDATE change_log_page SET digests = overlay(digests PLACING sha256('x') FROM 1) WHERE number = 1`,
        [at[0]],
      ],
      (at) => ['1 CHAIN null', `1 CHANGED ${at[0]}`],
    ],
    [
      'digests that were removed as if retention had removed the entries',
      () => ['UPDATE change_log_page SET digests = NULL, positions = NULL WHERE number = 1', []],
      (at) => ['1 CHAIN null', ...at.slice(0, 4).map((position) => `1 INSERTED ${position}`)],
    ],
  ])('names %s', async (_, tamper, expected) => {
    const at = await positions();
    const [text, values] = tamper(at);
    await database.pool.query(text, values);
    expect(await faultsOf()).toEqual(expected(at));
    const states = new Map((await pages()).map(({ page, state }) => [page, state]));
    expect([...states.values()]).toContain('BROKEN');
  });

  it('names an entry that was inserted at an unused position', async () => {
    const at = await positions();
    await database.pool.query("SELECT nextval(pg_get_serial_sequence('change_log', 'position'))");
    await write(1);
    await sealAll();
    await database.pool.query(
      `INSERT INTO change_log (position, action, resource_type, resource) VALUES ($1, 'POST', 'Zone', '/zones/x')`,
      [(at[9] ?? 0n) + 1n],
    );
    expect(await faultsOf()).toEqual([`4 INSERTED ${(at[9] ?? 0n) + 1n}`]);
  });

  it('tells entries that the service itself has rewritten from changed ones, also when it rewrites them twice', async () => {
    for (const word of ['once', 'twice'])
      await database.prisma.$transaction((tx) =>
        rewriteChanges(tx, {
          resourceTypes: ['Zone'],
          mentioning: 'line',
          rewrite: (data) => data.replace(/line|once/, `${word} line`),
          reason: 'SECRETS_MASKED',
        }),
      );
    await sealAll();
    const found = await pages();
    expect(found.map(({ state, redacted }) => `${state} ${redacted}`)).toEqual([
      'INTACT 2',
      'INTACT 3',
      'INTACT 1',
      'INTACT 0',
    ]);
    const at = await positions();
    await database.pool.query('UPDATE change_log SET data = $2 WHERE position = $1', [at[1], '{}']);
    expect(await faultsOf()).toEqual([`1 CHANGED ${at[1]}`]);
  });

  it('keeps the hashes of entries that retention has removed, and the chain', async () => {
    const before = await pages();
    const at = await positions();
    await pruneChangeLog(database, { before: new Date(Date.now() + 60_000), needed: at[6], batch: 3 });
    const after = await pages();
    expect(after.map(({ state, removed }) => `${state} ${removed}`)).toEqual(['REMOVED 4', 'INTACT 2', 'INTACT 0']);
    expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    expect(after[0]?.digests).toEqual([]);
    expect(after[1]?.digests).toEqual(before[1]?.digests);
    await database.pool.query(
      `INSERT INTO change_log (position, action, resource_type, resource) VALUES ($1, 'POST', 'Zone', '/zones/x')`,
      [at[0]],
    );
    expect(await faultsOf()).toEqual([`1 INSERTED ${at[0]}`]);
  });
});
