import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileDataAccess } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import {
  readVisibility,
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
import { randomUUID } from 'node:crypto';
import { buildSearchIndex, describeSearchIndex } from '../../search-indexes/store/search-index-store.js';
import { createRecordCounts, type RecordCounts } from '../create-record-counts.js';
import { planPage, statementRows, type PageStatement } from '../domain/plan-page.js';
import { createListingMemory } from './listing-memory.js';
import { shownData, shownRows } from './page-reader.js';
import { readPage } from './read-page.js';

const name: SearchProperty = { name: 'name', type: 'string' };
const age: SearchProperty = { name: 'age', type: 'integer' };
const properties = [name, age];

const stored = { uuid: randomUUID(), domainType: 'SERVICE_DATA_STORE' as const };
const federated = { uuid: randomUUID(), domainType: 'FEDERATED' as const };
const adaptors = [randomUUID(), randomUUID()].sort();

interface Link {
  readonly adaptorUuid: string;
  readonly drKey: JsonObject;
}
interface StoredRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
  readonly isStored: boolean;
  readonly links: readonly Link[];
}
/** Names in no order, every seventh one the same; an age that is frequent, and ages that are missing. */
const keyOf = (n: number): JsonObject => ({
  name: n % 7 === 0 ? 'same' : n % 100 === 1 ? null : `n${String((n * 7919) % 10_007).padStart(5, '0')}`,
  age: n % 10 === 0 ? null : n % 3 === 0 ? 50 : n % 300,
});
const linksOf = (n: number, count: number): readonly Link[] =>
  adaptors.slice(n % 2, (n % 2) + count).map((adaptorUuid, at) => ({ adaptorUuid, drKey: keyOf(n + 31 * at) }));
/** More than one statement finds as hits. */
const storedRecords: readonly StoredRecord[] = Array.from({ length: 10_400 }, (_, n) => ({
  uuid: randomUUID(),
  drKey: keyOf(n),
  isStored: true,
  links: n % 40 === 0 ? linksOf(n, 1) : [],
}));
const federatedRecords: readonly StoredRecord[] = Array.from({ length: 600 }, (_, n) => ({
  uuid: randomUUID(),
  drKey: keyOf(n),
  isStored: false,
  links: linksOf(n, n % 3),
}));
const everyRecord = [...storedRecords, ...federatedRecords];

/** A row as the oracle lists it. */
interface Row {
  readonly uuid: string;
  readonly adaptorUuid: string | null;
  readonly drKey: JsonObject;
}

const linkedRows = ({ uuid, drKey, links, isStored }: StoredRecord): readonly Row[] =>
  isStored || links.length === 0
    ? [{ uuid, adaptorUuid: null, drKey }]
    : links.map((link) => ({ uuid, adaptorUuid: link.adaptorUuid, drKey: link.drKey }));

const rowsOfAdaptor = (record: StoredRecord, adaptorUuid: string): readonly Row[] =>
  record.links
    .filter((link) => link.adaptorUuid === adaptorUuid)
    .map(({ drKey }) => ({ uuid: record.uuid, adaptorUuid, drKey: record.isStored ? record.drKey : drKey }));

/** The rows of a listing, found by a look at every record. */
const rowsOf = (filter: ListingFilter, visible: ReadonlySet<string> | undefined): readonly Row[] => {
  const { version, drUuids, adaptorUuid, rows, condition = { kind: 'all' }, drKey } = filter;
  const isFound = (row: Row): boolean =>
    evaluateCondition(condition, row) && (drKey === undefined || row.drKey[drKey.property.name] === drKey.value);
  return everyRecord
    .filter((record) => version === undefined || record.isStored === (version === stored))
    .filter(({ uuid }) => drUuids === undefined || drUuids.includes(uuid))
    .filter(({ uuid }) => visible === undefined || visible.has(uuid))
    .flatMap((record) => {
      if (adaptorUuid !== undefined) return rowsOfAdaptor(record, adaptorUuid).filter(isFound);
      const found = linkedRows(record).filter(isFound);
      if (rows === 'PER_LINK') return found;
      return found.length === 0 ? [] : [{ uuid: record.uuid, adaptorUuid: null, drKey: record.drKey }];
    });
};

const compare = (one: unknown, other: unknown): number => {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  return (one as string) < (other as string) ? -1 : 1;
};

const sortRows = (rows: readonly Row[], order: readonly SortTerm[]): readonly Row[] => {
  const last = order.at(-1)?.descending === true ? -1 : 1;
  return rows.toSorted((one, other) => {
    for (const { property, descending } of order) {
      const difference = compare(one.drKey[property.name] ?? null, other.drKey[property.name] ?? null);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return last * (compare(one.uuid, other.uuid) || compare(one.adaptorUuid, other.adaptorUuid));
  });
};

/** The value once in so many cases. */
const seldom = <Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const some = fc.uniqueArray(fc.constantFrom(...everyRecord.map(({ uuid }) => uuid)), { maxLength: 30 });
const query = fc.constantFrom(
  '*',
  'name:same',
  'name:n0*',
  'name:n00012',
  'name:*01*',
  'name:[n0 TO n2}',
  'age:50',
  'age:7',
  'age:>=0',
  'age:[3 TO 5]',
  'NOT age:50',
  'name:n0* AND age:50',
);
const searchOf = (text: string) => ({ condition: checkSearchQuery(parseSearchQuery(text), properties) });

const filterOf = fc
  .record({
    version: fc.constantFrom(stored, stored, federated),
    rows: fc.constantFrom('PER_RECORD' as const, 'PER_LINK' as const),
    drUuids: seldom(6, some),
    adaptorUuid: seldom(5, fc.constantFrom(...adaptors)),
    drKey: seldom(8, fc.constant({ property: name, value: 'same' })),
    query: seldom(2, query),
  })
  .map(({ version, rows, drUuids, adaptorUuid, drKey, query: searched }): ListingFilter => ({
    version,
    rows,
    ...(drUuids && { drUuids }),
    ...(adaptorUuid !== undefined && { adaptorUuid }),
    ...(drKey && { drKey }),
    ...(searched !== undefined && searchOf(searched)),
  }));
const withoutVersion = fc.record({
  drUuids: some,
  rows: fc.constantFrom('PER_RECORD' as const, 'PER_LINK' as const),
});
const orders = fc.uniqueArray(fc.record({ property: fc.constantFrom(name, age), descending: fc.boolean() }), {
  maxLength: 2,
  selector: ({ property }) => property.name,
});
const pages = fc.record({
  offset: fc.constantFrom(0, 0, 20, 149, 150, 700, 5_000, 10_390),
  limit: fc.integer({ min: 1, max: 60 }),
  isTotalRequested: fc.boolean(),
});
const known = fc.record({ isIndexed: fc.boolean(), remembersPlaces: fc.boolean() });

describe('a planned page', () => {
  let database: TestDatabase;
  let recordCounts: RecordCounts;
  const listingMemory = createListingMemory();

  beforeAll(async () => {
    database = await openTestDatabase();
    recordCounts = createRecordCounts({ database, log: createLog('silent') });
    await database.pool.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT record, CASE WHEN stored THEN $1::uuid ELSE $2::uuid END, uuid_send(record), key,
              CASE WHEN stored THEN jsonb_build_object('mark', record) END
       FROM unnest($3::uuid[], $4::jsonb[], $5::boolean[]) AS given (record, key, stored)`,
      [
        stored.uuid,
        federated.uuid,
        everyRecord.map(({ uuid }) => uuid),
        everyRecord.map(({ drKey }) => JSON.stringify(drKey)),
        everyRecord.map(({ isStored }) => isStored),
      ],
    );
    const links = everyRecord.flatMap(({ uuid, isStored, links: own }) =>
      own.map((link) => ({ ...link, uuid, isStored })),
    );
    await database.pool.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
       SELECT record, adaptor, version, uuid_send(record), key, '{}'
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[]) AS given (record, adaptor, version, key)`,
      [
        links.map(({ uuid }) => uuid),
        links.map(({ adaptorUuid }) => adaptorUuid),
        links.map(({ isStored }) => (isStored ? stored.uuid : federated.uuid)),
        links.map(({ drKey }) => JSON.stringify(drKey)),
      ],
    );
    const features = await loadDatabaseFeatures(database.pool);
    const client = await database.pool.connect();
    try {
      for (const property of properties)
        await buildSearchIndex(
          client,
          describeSearchIndex(stored.uuid, 'data_record', { property, kind: 'ORDER' }, features),
        );
      await client.query('ANALYZE');
    } finally {
      client.release();
    }
  });
  afterAll(async () => {
    await recordCounts?.close();
    await database?.drop();
  });

  /** @returns the first statement of the plan */
  const expectRight = async (
    filter: ListingFilter,
    page: { order: readonly SortTerm[]; offset: number; limit: number; isTotalRequested: boolean },
    { isIndexed, remembersPlaces }: { isIndexed: boolean; remembersPlaces: boolean },
    visible?: ReadonlySet<string>,
  ): Promise<PageStatement> => {
    const plan = planPage(filter, page, { hasIndex: () => isIndexed, remembersPlaces });
    const all = sortRows(rowsOf(filter, visible), page.order);
    const expected = all.slice(page.offset, page.offset + page.limit);
    const means = { session: database.pool, listingMemory };
    const { records, total } = await readPage(means, plan, shownRows);
    const holds = filter.rows === 'PER_LINK';
    expect({
      plan: plan.statements,
      rows: records.map(({ uuid, adaptorUuid }) => [uuid, adaptorUuid]),
    }).toEqual({
      plan: plan.statements,
      rows: expected.map(({ uuid, adaptorUuid }) => [uuid, holds ? adaptorUuid : null]),
    });
    const data = await readPage(means, plan, shownData);
    expect(data.records).toEqual(records.map(({ json }) => json));
    if (total !== undefined) expect(total).toBe(all.length);
    expect(data.total).toBe(total);
    if (plan.total !== 'NOT_REQUESTED') expect(await recordCounts.totalOf(database.pool, plan)).toBe(all.length);
    return plan.statements[0];
  };

  it('and its total are those of a look at every record, for random listings and knowledge', async () => {
    await fc.assert(
      fc.asyncProperty(filterOf, orders, pages, known, (filter, order, page, knowledge) =>
        expectRight(filter, { ...page, order }, knowledge).then(() => undefined),
      ),
      { numRuns: casesOf(60) },
    );
  });

  it('is right for each statement, and for searches that leave it to the next one', async () => {
    const byName = [{ property: name, descending: false }];
    const cases = [
      { expected: 'VERSION', order: [], offset: 20 },
      { expected: 'VERSION_FROM_PLACE', order: [], offset: 5_000 },
      { expected: 'VERSION_FROM_PLACE', order: byName, offset: 2_000 },
      { expected: 'RANGE_IN_ORDER', text: 'name:n0*', order: byName, offset: 100 },
      { expected: 'RANGE_FEW', text: 'name:n00012', order: [], offset: 0 },
      { expected: 'RANGE_FEW', text: 'age:[3 TO 5]', order: byName, offset: 20 },
      { expected: 'RANGE_FEW', text: 'age:[0 TO 500]', order: byName, offset: 20 },
      { expected: 'HITS', text: 'NOT age:50', order: byName, offset: 20 },
      { expected: 'HITS', text: 'NOT name:none', order: byName, offset: 20 },
      { expected: 'ROWS', order: byName, offset: 20, adaptorUuid: adaptors[0] ?? '' },
    ] as const;
    const planned: PageStatement[] = [];
    for (const { order, offset, ...rest } of cases) {
      const filter: ListingFilter = {
        version: stored,
        rows: 'PER_RECORD',
        ...('text' in rest && searchOf(rest.text)),
        ...('adaptorUuid' in rest && { adaptorUuid: rest.adaptorUuid }),
      };
      const page = { order, offset, limit: 20, isTotalRequested: true };
      planned.push(await expectRight(filter, page, { isIndexed: true, remembersPlaces: true }));
    }
    expect(planned).toEqual(cases.map(({ expected }) => expected));
    expect(new Set(planned)).toEqual(new Set(statementRows.map(({ choice }) => choice)));
  });

  it('is right for records that are named without a version', async () => {
    const unsorted = pages.map((page) => ({ ...page, order: [], offset: page.offset % 100 }));
    await fc.assert(
      fc.asyncProperty(withoutVersion, unsorted, known, (filter, page, knowledge) =>
        expectRight(filter, page, knowledge).then(() => undefined),
      ),
      { numRuns: casesOf(15) },
    );
  });

  it('is right for callers who may see some records only', async () => {
    const rule = { effect: 'ALLOW', actions: null, zoneUuid: null, adaptorUuid: null, domainUuid: null } as const;
    const seen = filterOf.filter(
      ({ version, rows, adaptorUuid }) => version === stored || rows === 'PER_LINK' || adaptorUuid !== undefined,
    );
    const zones = new Map(adaptors.map((uuid) => [uuid, randomUUID()]));
    const visibles = fc.uniqueArray(fc.constantFrom(...everyRecord.map(({ uuid }) => uuid)), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(seen, visibles, orders, pages, async (filter, drUuids, order, page) => {
        const version = { ...(filter.version ?? stored), domainUuid: randomUUID(), zoneUuid: randomUUID() };
        const dataAccess = compileDataAccess(
          [[{ ...rule, domainVersionUuid: null, properties: null, drUuids }]],
          zones,
        );
        const model = { properties: properties.map((property) => ({ name: property.name })) };
        const visibility = readVisibility({ dataAccess }, [{ ...version, model }], ['name', 'age']);
        if (visibility === undefined) throw new Error('the caller is restricted');
        const listing = { ...filter, visibility };
        await expectRight(
          listing,
          { ...page, order, offset: page.offset % 50 },
          { isIndexed: true, remembersPlaces: true },
          new Set(drUuids),
        );
      }),
      { numRuns: casesOf(25) },
    );
  });
});
