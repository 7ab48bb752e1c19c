import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import type { SqlClient } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { readVisibility, type ListingFilter } from '@fds/search';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { createRecordCounts, type RecordCounts } from '../../create-record-counts.js';
import { noKnowledge, planPage, type ReadingPlan } from '../../domain/plan-page.js';
import { createCatalogSeed } from '../../../../testing/seed-catalog.js';
import { findMiscounts } from '../../../../testing/find-miscounts.js';
import { countRecords, foldCounts } from './record-counts.js';

const federated = { uuid: randomUUID(), domainType: 'FEDERATED' as const };
const stored = { uuid: randomUUID(), domainType: 'SERVICE_DATA_STORE' as const };
const versions = [federated, stored];
const adaptors: string[] = [];
const zones: string[] = [];
const oneOf = <Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item =>
  items[randomInt(items.length)] as Item;

const planOf = (filter: ListingFilter): ReadingPlan =>
  planPage(filter, { order: [], offset: 0, limit: 10, isTotalRequested: true }, noKnowledge);

describe('kept counts', () => {
  let database: TestDatabase;
  let counts: RecordCounts;
  beforeAll(async () => {
    database = await openTestDatabase();
    const seed = createCatalogSeed(database);
    for (const name of ['West', 'East']) zones.push(await seed.addZone(name));
    for (const [index, name] of ['one', 'two', 'three'].entries()) {
      adaptors.push(await seed.addAdaptor({ name, zoneUuid: zones[index % 2] ?? '', domains: [] }));
    }
    counts = createRecordCounts({ database, log: createLog('silent'), minSurplus: 20, pauseMs: 1, checkMs: 50 });
    counts.check();
  });
  afterAll(async () => {
    await counts?.close();
    await database?.drop();
  });

  const add = async (client: SqlClient): Promise<unknown> =>
    client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
       SELECT gen_random_uuid(), CASE WHEN random() < 0.5 THEN $1::uuid ELSE $2::uuid END,
              sha256(convert_to(gen_random_uuid()::text, 'UTF8')), '{}'
       FROM generate_series(1, $3::int)`,
      [federated.uuid, stored.uuid, randomInt(0, 20)],
    );
  /** As ingest does: a transaction that changes links locks the records. */
  const lockSome = async (client: SqlClient): Promise<string[]> => {
    const { rows } = await client.query<{ readonly uuid: string }>(
      `SELECT uuid FROM data_record WHERE uuid IN (SELECT uuid FROM data_record ORDER BY random() LIMIT $1)
       ORDER BY uuid FOR NO KEY UPDATE`,
      [randomInt(1, 12)],
    );
    return rows.map(({ uuid }) => uuid);
  };
  const link = async (client: SqlClient): Promise<unknown> =>
    client.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
       SELECT r.uuid, a.uuid, r.domain_version_uuid, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), '{}', '{}'
       FROM data_record r CROSS JOIN unnest($2::uuid[]) AS a(uuid) WHERE r.uuid = ANY ($1::uuid[])
       ON CONFLICT (record_uuid, adaptor_uuid) DO UPDATE SET last_updated = now()`,
      [await lockSome(client), adaptors.slice(randomInt(3))],
    );
  const unlink = async (client: SqlClient): Promise<unknown> =>
    client.query('DELETE FROM record_link WHERE record_uuid = ANY ($1::uuid[]) AND adaptor_uuid = ANY ($2::uuid[])', [
      await lockSome(client),
      adaptors.slice(randomInt(3)),
    ]);
  const remove = async (client: SqlClient): Promise<unknown> =>
    client.query('DELETE FROM data_record WHERE uuid = ANY ($1::uuid[])', [await lockSome(client)]);
  const undo = (): Promise<unknown> => Promise.reject(new Error('undone'));
  const kill = (client: SqlClient): Promise<unknown> => client.query('SELECT pg_terminate_backend(pg_backend_pid())');

  /** Some changes in one transaction, which may be undone or lose its connection at the end. */
  const change = async (): Promise<void> => {
    const client = await database.pool.connect();
    client.on('error', () => undefined);
    try {
      await client.query('BEGIN');
      for (let left = randomInt(1, 4); left > 0; left -= 1) await oneOf([add, link, link, unlink, remove])(client);
      await oneOf([() => client.query('COMMIT'), () => client.query('COMMIT'), undo, kill])(client);
      client.release();
    } catch {
      client.release(true);
    }
  };

  const filtersOf = (): readonly ListingFilter[] =>
    versions.flatMap((version) =>
      (['PER_LINK', 'PER_RECORD'] as const).flatMap((rows) => [
        { version, rows },
        ...adaptors.map((adaptorUuid) => ({ version, rows, adaptorUuid })),
      ]),
    );

  it('are what a count would be, whatever is written, undone, cut off and folded at the same time', async () => {
    for (let round = 0; round < 25; round += 1) {
      const fold = (): Promise<void> => foldCounts(database.pool, oneOf(versions).uuid);
      await Promise.all([change(), change(), fold(), change(), fold(), change()]);
      expect(await findMiscounts(database.pool)).toEqual([]);
      for (const filter of filtersOf()) {
        expect(planOf(filter).total).toBe('KEPT');
        expect(await counts.totalOf(database.pool, planOf(filter))).toBe(await countRecords(database.pool, filter));
      }
    }
  });

  it('are those of the snapshot while others fold', async () => {
    await database.transaction(async (client) => {
      await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      const before = await countRecords(client, { version: stored, rows: 'PER_RECORD' });
      await database.transaction(add);
      await foldCounts(database.pool, stored.uuid);
      expect(await counts.totalOf(client, planOf({ version: stored, rows: 'PER_RECORD' }))).toBe(before);
    });
  });

  it('have few entries, read or not', async () => {
    for (let times = 0; times < 50; times += 1) await database.transaction(add);
    await eventually(async () => {
      const { rows } = await database.pool.query<{ readonly entries: bigint }>(
        'SELECT count(*) AS entries FROM record_count GROUP BY domain_version_uuid',
      );
      for (const { entries } of rows) expect(Number(entries)).toBeLessThan(30);
    });
  });

  it('keep the number of changed DR Keys when they are folded', async () => {
    const moves = async (): Promise<bigint> => {
      const { rows } = await database.pool.query<{ readonly moves: bigint }>(
        'SELECT sum(moves)::bigint AS moves FROM record_count WHERE domain_version_uuid = $1',
        [stored.uuid],
      );
      return rows[0]?.moves ?? 0n;
    };
    const update = (assignment: string) =>
      database.pool.query(
        `UPDATE data_record SET ${assignment} WHERE uuid = (SELECT uuid FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid LIMIT 1)`,
        [stored.uuid],
      );
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
       VALUES (gen_random_uuid(), $1, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), '{}')`,
      [stored.uuid],
    );
    const before = await moves();
    await update(`dr_key = '{"id": 1}'`);
    await update(`dr_key = '{"id": 2}'`);
    await update(`dr_key = dr_key, json = '{"name": "same key"}'`);
    expect(await moves()).toBe(before + 2n);
    await foldCounts(database.pool, stored.uuid);
    expect(await moves()).toBe(before + 2n);
  });

  const maybe = <Value>(value: Value): Value | null => (randomInt(2) === 0 ? value : null);
  const someRule = (named: readonly string[]): AccessRule => ({
    effect: oneOf(['ALLOW', 'DENY'] as const),
    actions: null,
    domainUuid: null,
    domainVersionUuid: maybe(oneOf(versions).uuid),
    zoneUuid: maybe(oneOf(zones)),
    adaptorUuid: maybe(oneOf(adaptors)),
    properties: maybe([oneOf(['id', 'name'])]),
    drUuids: maybe(named.slice(randomInt(named.length))),
  });

  it('are what a count would be for callers with rules of access', async () => {
    const zoneOfAdaptor = new Map(adaptors.map((uuid, index) => [uuid, zones[index % 2] ?? '']));
    let kept = 0;
    for (let round = 0; round < 150; round += 1) {
      if (round % 10 === 0) await change();
      const { rows } = await database.pool.query<{ readonly uuid: string }>(
        'SELECT uuid FROM data_record ORDER BY random() LIMIT 10',
      );
      const named = [randomUUID(), ...rows.map(({ uuid }) => uuid)];
      const roles = Array.from({ length: randomInt(1, 3) }, () =>
        Array.from({ length: randomInt(1, 4) }, () => someRule(named)),
      );
      const dataAccess = compileDataAccess(roles, zoneOfAdaptor);
      const required = oneOf([[], ['id'], ['id', 'name']]);
      for (const filter of filtersOf()) {
        const model = { properties: [{ name: 'id' }, { name: 'name' }] };
        const version = { ...(filter.version ?? stored), domainUuid: randomUUID(), zoneUuid: zones[0] ?? '', model };
        const visibility = readVisibility({ dataAccess }, [version], required);
        if (visibility === undefined) continue;
        const plan = planOf({ ...filter, visibility });
        if (plan.total === 'COUNTED') continue;
        expect(plan.total).toBe('KEPT_VISIBLE');
        kept += 1;
        expect(await counts.totalOf(database.pool, plan)).toBe(await countRecords(database.pool, plan.filter));
      }
    }
    expect(kept).toBeGreaterThan(100);
  });

  it('are not kept for a part of a version', async () => {
    const plan = planOf({ version: stored, rows: 'PER_RECORD', drUuids: [] });
    expect(plan.total).toBe('COUNTED');
    expect(await counts.totalOf(database.pool, plan)).toBe(0);
  });
});
