import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { SortTerm } from '@fds/search';
import type pg from 'pg';
import { noKnowledge, planPage, type ReadingPlan, type RequestedPage } from '../domain/plan-page.js';
import { listVersionPage } from './list-version-rows.js';
import type { ListedRow } from './listed-record.js';
import { shownData, shownRows } from './page-reader.js';
import { readPage } from './read-page.js';

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
       SELECT gen_random_uuid(), $1, sha256(convert_to(n::text, 'UTF8')), jsonb_build_object('id', 'k' || n),
              jsonb_build_object('id', 'k' || n, 'big', 9223372036854775807, 'text', repeat('é', n % 30))
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

const filterOf = (uuid: string) => ({
  version: { uuid, domainType: 'SERVICE_DATA_STORE' as const },
  rows: 'PER_RECORD' as const,
});

const planOf = (version: string, page: RequestedPage): ReadingPlan =>
  planPage(filterOf(version), { ...page, isTotalRequested: false }, noKnowledge);

type ReadPage = (session: Queryable, version: string, page: RequestedPage) => Promise<readonly (string | null)[]>;
const readRows: ReadPage = async (session, version, page) =>
  (await readPage({ session }, planOf(version, page), shownRows)).records.map(({ json }) => json);
const readData: ReadPage = async (session, version, page) =>
  (await readPage({ session }, planOf(version, page), shownData)).records;
const readWithState =
  (shown: 'ROWS' | 'DATA'): ReadPage =>
  async (session, domainVersionUuid, page) => {
    const { filter, keptPlan } = planOf(domainVersionUuid, page);
    const version = { filter, domainVersionUuid, keptPlan };
    const { rows } = await listVersionPage<Pick<ListedRow, 'json'>>(session, version, page, { floor: 0n, shown });
    return rows.map(({ json }) => json);
  };

/** The first pages of a version one after another, until their statement has been executed often. */
const readPages = async (
  order: readonly SortTerm[],
  session: Queryable,
  read: ReadPage,
  version = small,
): Promise<readonly (string | null)[]> => {
  const texts: (string | null)[] = [];
  for (let turn = 0; turn < 7; turn += 1)
    for (let offset = 0; offset < 300; offset += 20)
      texts.push(...(await read(session, version, { order, offset, limit: 20 })));
  return texts;
};

const ways: readonly (readonly [string, ReadPage])[] = [
  ['rows', readRows],
  ['data', readData],
  ['rows with a state', readWithState('ROWS')],
  ['data with a state', readWithState('DATA')],
];
const orders = [
  ['by uuid', []],
  ['by a key property', [byId]],
] as const;
const listings = [
  ['by uuid', 'a small version', { order: [], version: small }],
  ['by uuid', 'a version with most records', { order: [], version: large }],
  ['by a key property', 'a small version', { order: [byId], version: small }],
] as const;
it.each(
  ways.flatMap(([shown, read]) => listings.map(([by, of, listing]) => [shown, by, of, { read, ...listing }] as const)),
)('pages of %s in order %s of %s keep their plan', async (_shown, _by, _of, { read, order, version }) => {
  const named = new Set<string>();
  const session: Queryable = {
    query: (statement, values) => {
      if (typeof statement !== 'string' && statement.name !== undefined) named.add(statement.name);
      return client.query(statement, values);
    },
  };
  expect(new Set(await readPages(order, session, read, version)).size).toBe(300);
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

const plannedCost = async (text: string, values?: unknown[]): Promise<number> => {
  const options = values === undefined ? 'GENERIC_PLAN, FORMAT JSON' : 'FORMAT JSON';
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }>(
    `EXPLAIN (${options}) ${text}`,
    values,
  );
  return rows[0]?.['QUERY PLAN'][0].Plan['Total Cost'] ?? Number.NaN;
};

// the database keeps a plan that costs no more than those with the values, so also for sizes that this test does not have
it.each(ways.slice(0, 2))('pages of %s in order of uuid cost the same for every version', async (_shown, read) => {
  const asked = new Map<string, unknown[]>();
  const session: Queryable = {
    query: (statement, values) => {
      if (typeof statement !== 'string') asked.set(statement.text, [...(statement.values ?? values ?? [])]);
      return client.query(statement, values);
    },
  };
  await readPages([], session, read, large);
  expect(asked.size).toBeGreaterThan(2);
  for (const [text, values] of asked) expect(await plannedCost(text, values)).toBe(await plannedCost(text));
});

it.each(orders)('pages of data are the data of the pages of rows in order %s', async (_name, order) => {
  const data = await readPages(order, client, readData);
  for (const [, read] of ways) expect(await readPages(order, client, read)).toEqual(data);
  expect(data[0]).toContain('9223372036854775807');
});

it.each(ways)('a plan for pages of %s of any version reads the index of version and uuid', async (_shown, read) => {
  const texts: string[] = [];
  const session: Queryable = {
    query: (statement, values) => {
      if (typeof statement !== 'string') texts.push(statement.text);
      return client.query(statement, values);
    },
  };
  await readPages([], session, read);
  const ofRecords = new Set(texts.filter((each) => each.includes('data_record')));
  // with and without an offset near the first row, and far from it
  expect(ofRecords.size).toBeGreaterThan(2);
  for (const text of ofRecords) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('data_record_domain_version_uuid_uuid_idx');
  }
});
