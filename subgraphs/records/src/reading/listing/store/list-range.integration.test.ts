import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import type { Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import {
  type ListingFilter,
  checkSearchQuery,
  evaluateCondition,
  parseSearchQuery,
  type SearchProperty,
  loadDatabaseFeatures,
  type SortTerm,
} from '@fds/search';
import { createLog } from '@fds/service';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { buildSearchIndex, describeSearchIndex } from '../../search-indexes/store/search-index-store.js';
import { createRecordCounts, type RecordCounts } from '../create-record-counts.js';
import { createRecordListing } from '../resolvers/record-listing.js';
import { planPage, type RequestedPage } from '../domain/plan-page.js';
import { createListingMemory } from './listing-memory.js';
import { shownData, shownRows } from './page-reader.js';
import { listPage, readPage } from './read-page.js';

const version = { uuid: v7(), domainType: 'SERVICE_DATA_STORE' as const };
const name: SearchProperty = { name: 'name', type: 'string' };
const age: SearchProperty = { name: 'age', type: 'integer' };
const properties = [name, age];
const count = 12_000;

/** Names in no order, every third one the same; ages of which one is frequent, and none for each tenth record. */
const keyOf = (n: number): JsonObject => ({
  name: n % 3 === 0 ? 'Äsop same' : `Name ${String((n * 7919) % count).padStart(5, '0')}`,
  age: n % 10 === 0 ? null : n % 2 === 0 ? 50 : n % 1000,
});
const keys = Array.from({ length: count }, (_, n) => ({ uuid: '', drKey: keyOf(n) }));

const searchOf = (query: string): ListingFilter => ({
  version,
  condition: checkSearchQuery(parseSearchQuery(query), properties),
  rows: 'PER_RECORD',
});
const totalOf = ({ condition = { kind: 'all' } }: ListingFilter): number =>
  keys.filter((record) => evaluateCondition(condition, record)).length;

const text = fc.constantFrom('a', 'n', 'name', 'NAME\\ 0', 'name\\ 0012', 'name\\ 00123', 'äsop', 'äsop\\ same', 'z');
const number = fc.oneof(fc.constantFrom(50, 999, -1, 5000), fc.nat(1000));
const query = fc.oneof(
  text.map((begin) => `name:${begin}*`),
  text.map((whole) => `name:${whole}`),
  fc.tuple(text, text).map(([from, to]) => `name:[${from} TO ${to}}`),
  text.map((from) => `name:>=${from}`),
  number.map((whole) => `age:${whole}`),
  fc.tuple(number, number).map(([from, to]) => `age:[${from} TO ${to}]`),
  number.map((to) => `age:<${to}`),
);
const order: fc.Arbitrary<readonly SortTerm[]> = fc.uniqueArray(
  fc.record({ property: fc.constantFrom(name, age), descending: fc.boolean() }),
  { maxLength: 2, selector: ({ property }) => property.name },
);

const planWith = (filter: ListingFilter, page: RequestedPage, { isTotalRequested }: { isTotalRequested: boolean }) =>
  planPage(filter, { ...page, isTotalRequested }, { hasIndex: () => true, remembersPlaces: false });
const totalled = { isTotalRequested: true };

describe('a search by one test with an index', () => {
  let database: TestDatabase;
  let client: pg.PoolClient;
  let recordCounts: RecordCounts;
  let indexes: readonly string[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    client = await database.pool.connect();
    recordCounts = createRecordCounts({ database, log: createLog('silent') });
    await client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(n::text, 'UTF8')), key, jsonb_build_object('n', n)
       FROM unnest($2::jsonb[]) WITH ORDINALITY AS given (key, n)`,
      [version.uuid, keys.map(({ drKey }) => JSON.stringify(drKey))],
    );
    const features = await loadDatabaseFeatures(database.pool);
    const described = properties.map((property) =>
      describeSearchIndex(version.uuid, 'data_record', { property, kind: 'ORDER' }, features),
    );
    for (const index of described) await buildSearchIndex(client, index);
    indexes = described.map((index) => index.name);
    await client.query('ANALYZE data_record');
  });
  afterAll(async () => {
    await recordCounts?.close();
    client?.release();
    await database?.drop();
  });

  it('shows the pages of the usual statement, and the total of the evaluator', async () => {
    const page = fc.record({ offset: fc.constantFrom(0, 1, 20, 700), limit: fc.integer({ min: 1, max: 40 }) });
    await fc.assert(
      fc.asyncProperty(query, order, page, async (searched, order, { offset, limit }) => {
        const filter = searchOf(searched);
        const requested = { order, offset, limit };
        const usual = await listPage(client, filter, requested);
        const plan = planWith(filter, requested, totalled);
        expect(plan.statements[0]).toMatch(/^RANGE_/);
        const { records, total } = await readPage({ session: client }, plan, shownRows);
        expect({ searched, records }).toEqual({ searched, records: usual.records });
        const found = totalOf(filter);
        // a total of more rows may be left to another statement
        if (total === undefined)
          expect(found).toBeGreaterThan(searched.startsWith('age') || searched.includes('>') ? 256 : 10_000);
        else expect(total).toBe(found);
        const withoutTotal = planWith(filter, requested, { isTotalRequested: false });
        const untotalled = await readPage({ session: client }, withoutTotal, shownRows);
        expect(untotalled.records).toEqual(records);
        const hits = { ...plan, statements: ['HITS', 'ROWS'] } as const;
        for (const each of [hits, plan]) {
          const data = await readPage({ session: client }, each, shownData);
          expect(data.records).toEqual(records.map(({ json }) => json));
          if (data.total !== undefined) expect(data.total).toBe(found);
        }
      }),
      { numRuns: casesOf(40) },
    );
  });

  const listOften = async (session: Queryable, query: string, order: readonly SortTerm[]): Promise<void> => {
    for (let time = 0; time < 35; time += 1)
      await readPage({ session }, planWith(searchOf(query), { order, offset: 0, limit: 20 }, totalled), shownRows);
  };

  it.each([
    ['a beginning', 'name:name\\ 0012*', 'name:n*', [{ property: name, descending: false }], /Seq Scan/],
    ['an open range', 'age:>998', 'age:>0', [{ property: age, descending: true }], /Seq Scan|Bitmap/],
    ['a value in another order', 'age:123', 'age:50', [{ property: name, descending: false }], /Seq Scan|Bitmap/],
    ['a range without an order', 'age:[998 TO 999]', 'age:[0 TO 999]', [], /Seq Scan|Bitmap/],
  ])('keeps one plan by the index for %s, whether it finds few or many', async (_what, few, many, order, wrong) => {
    const texts = new Map<string, string>();
    const session: Queryable = {
      query: (statement, values) => {
        if (typeof statement !== 'string' && statement.text.includes('(SELECT $')) {
          texts.set(statement.name ?? '', statement.text);
        }
        return client.query(statement, values);
      },
    };
    await listOften(session, few, order);
    await listOften(session, many, order);
    expect(new Set(texts.values()).size).toBe(1);
    const name = [...texts.keys()].find((each) => each !== '');
    const { rows } = await client.query<{ generic_plans: bigint; custom_plans: bigint }>(
      'SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    // the first five plans are with the values, to compare with
    expect(rows.map((row) => ({ custom: Number(row.custom_plans), isKept: Number(row.generic_plans) > 0 }))).toEqual([
      { custom: 5, isKept: true },
    ]);
    await client.query('BEGIN');
    try {
      // the planner takes it for a table of a million records
      await client.query(`UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'data_record'::regclass`);
      const explained = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (GENERIC_PLAN) ${texts.get(name ?? '') ?? ''}`,
      );
      const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(
        indexes.some(
          (index) => plan.includes(`Index Scan using ${index}`) || plan.includes(`Index Scan Backward using ${index}`),
        ),
      ).toBe(true);
      expect(plan).not.toMatch(wrong);
    } finally {
      await client.query('ROLLBACK');
    }
  });

  it('is one statement with its total, and counts only for a query that asks for the total', async () => {
    const searched = 'name:name\\ 001*';
    const texts: string[] = [];
    const indexed: ListingFilter[] = [];
    const session: Queryable = {
      origin: database.pool,
      query: (statement, values) => {
        texts.push(typeof statement === 'string' ? statement : statement.text);
        return client.query(statement, values);
      },
    };
    const open = (isTotalRequested: boolean) =>
      createRecordListing(
        {
          searchIndexes: {
            requestIndex: (filter) => void indexed.push(filter),
            exists: () => true,
            sweep: () => undefined,
            settle: async () => undefined,
            close: async () => undefined,
          },
          listingMemory: createListingMemory(),
          recordCounts,
        },
        session,
        searchOf(searched),
        { order: [{ property: name, descending: false }], page: 0, size: 20, isTotalRequested },
      );
    const totalElements = totalOf(searchOf(searched));
    const listing = open(true);
    const [page, data] = await Promise.all([listing.pageInfo(), listing.data()]);
    expect({ totalElements: page.totalElements, rows: data.length }).toEqual({ totalElements, rows: 20 });
    expect(texts.splice(0)).toEqual([expect.stringContaining('count(*)')]);
    const withoutTotal = open(false);
    expect(await withoutTotal.pageInfo()).toEqual({ page: 0, size: 20 });
    expect((await withoutTotal.records()).map(({ json }) => json)).toEqual(data);
    expect(texts.splice(0)).toEqual([expect.not.stringContaining('count(*)')]);
    indexed.length = 0;
    expect(await open(true).pageInfo()).toEqual(page);
    expect(texts.splice(0)).toEqual([expect.not.stringContaining('page.place')]);
    // the total alone needs the index as well
    expect(indexed).toEqual([searchOf(searched)]);
  });
});
