import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { SortTerm } from '@fds/search-sql';
import type pg from 'pg';
import { listPage } from './list-records.js';

const [large, small] = [randomUUID(), randomUUID()];
const byId: SortTerm = { property: { name: 'id', type: 'string' }, descending: false };

let database: TestDatabase;
let client: pg.PoolClient;
beforeAll(async () => {
  database = await openTestDatabase();
  for (const [version, count] of [
    [large, 20_000],
    [small, 300],
  ])
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(n::text, 'UTF8')), jsonb_build_object('id', 'k' || n), '{}'
       FROM generate_series(1, $2::int) AS n`,
      [version, count],
    );
  await database.pool.query('ANALYZE data_record');
  client = await database.pool.connect();
});
afterAll(async () => {
  client?.release();
  await database?.drop();
});

/** The pages of the small version one after another, until their statement has been executed often. */
const readPages = async (order: readonly SortTerm[], session: Queryable): Promise<string[]> => {
  const filter = { version: { uuid: small, domainType: 'SERVICE_DATA_STORE' as const }, rows: 'PER_RECORD' as const };
  const keys: string[] = [];
  for (let turn = 0; turn < 3; turn += 1)
    for (let offset = 0; offset < 300; offset += 20)
      keys.push(...(await listPage(session, filter, { order, offset, limit: 20 })).records.map(({ drKey }) => drKey));
  return keys;
};

it.each([
  ['by uuid', []],
  ['by a key property', [byId]],
])('pages in order %s keep their plan', async (_name, order) => {
  const named = new Set<string>();
  const session: Queryable = {
    query: (statement, values) => {
      if (typeof statement !== 'string' && statement.name !== undefined) named.add(statement.name);
      return client.query(statement, values);
    },
  };
  expect(new Set(await readPages(order, session)).size).toBe(300);
  expect(named.size).toBeGreaterThan(0);
  const { rows } = await client.query<{ name: string; generic_plans: bigint; custom_plans: bigint }>(
    'SELECT name, generic_plans, custom_plans FROM pg_prepared_statements WHERE name = ANY ($1)',
    [[...named]],
  );
  expect(rows).toHaveLength(named.size);
  for (const { name, generic_plans, custom_plans } of rows) {
    // the first five plans are with the values, to compare with
    expect({ name, custom: Number(custom_plans) <= 5, generic: Number(generic_plans) > 0 }).toEqual({
      name,
      custom: true,
      generic: true,
    });
  }
});

it('a plan for any version reads the index of version and uuid', async () => {
  const texts: string[] = [];
  const session: Queryable = {
    query: (statement, values) => {
      if (typeof statement !== 'string') texts.push(statement.text);
      return client.query(statement, values);
    },
  };
  await readPages([], session);
  const text = texts.find((each) => each.includes('data_record')) ?? '';
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('data_record_domain_version_uuid_uuid_idx');
});
