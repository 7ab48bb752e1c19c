import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { logChanges, type SqlClient } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { loadDatabaseFeatures, writeComparable, type SortTerm } from '@fds/search-sql';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { createRecordCounts, type RecordCounts } from '../create-record-counts.js';
import { createRecordListing } from '../resolvers/record-listing.js';
import { createListingMemory } from './listing-memory.js';

const version = { uuid: randomUUID(), domainType: 'SERVICE_DATA_STORE' as const };
const filter = { version, rows: 'PER_RECORD' as const };

const id = { property: { name: 'id', type: 'string' }, descending: false } as const;
const age = { property: { name: 'age', type: 'integer' }, descending: false } as const;
const down = (term: SortTerm): SortTerm => ({ ...term, descending: true });
const orders: readonly (readonly SortTerm[])[] = [
  [],
  [id],
  [down(id)],
  [age],
  [down(age)],
  [age, down(id)],
  [down(age), id],
  [down(id), down(age)],
];
/** Values that are missing, that many records have, that differ in case, and that differ after 200 characters only. */
const someKey = `jsonb_build_object(
  'id', CASE floor(random() * 10) WHEN 0 THEN NULL WHEN 1 THEN repeat('É', 200) || floor(random() * 50)
        WHEN 2 THEN repeat('x', 199) WHEN 3 THEN 'TWICE' WHEN 4 THEN 'twice' ELSE 'k' || floor(random() * 2000) END,
  'age', CASE floor(random() * 4) WHEN 0 THEN NULL ELSE floor(random() * 400) END)`;

describe('the memory of listings', () => {
  let database: TestDatabase;
  let recordCounts: RecordCounts;
  beforeAll(async () => {
    database = await openTestDatabase();
    recordCounts = createRecordCounts({ database, log: createLog('silent') });
    await database.transaction((client) => insert(client, 3_000));
  });
  afterAll(async () => {
    await recordCounts?.close();
    await database?.drop();
  });

  const insert = async (client: SqlClient, count: number): Promise<string[]> => {
    const { rows } = await client.query<{ readonly uuid: string }>(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), ${someKey}, '{}'
       FROM generate_series(1, $2::int) RETURNING uuid`,
      [version.uuid, count],
    );
    return rows.map(({ uuid }) => uuid);
  };
  const log = (client: SqlClient, action: 'POST' | 'PUT' | 'DELETE', uuids: readonly string[]) =>
    logChanges(
      client,
      uuids.map((uuid) => ({
        action,
        resourceType: 'Dr',
        resource: `/drs/${uuid}`,
        resourceUuid: uuid,
        data: { uuid, domainVersionUuid: version.uuid },
      })),
    );
  const add = (client: SqlClient) => insert(client, 1).then((uuids) => log(client, 'POST', uuids));
  const remove = async (client: SqlClient): Promise<void> => {
    const { rows } = await client.query<{ readonly uuid: string }>(
      `DELETE FROM data_record WHERE uuid = (SELECT uuid FROM data_record WHERE domain_version_uuid = $1
         AND uuid >= $2 ORDER BY uuid LIMIT 1) RETURNING uuid`,
      [version.uuid, randomUUID()],
    );
    await log(
      client,
      'DELETE',
      rows.map(({ uuid }) => uuid),
    );
  };
  const move = async (client: SqlClient): Promise<void> => {
    const { rows } = await client.query<{ readonly uuid: string }>(
      `UPDATE data_record SET dr_key = ${someKey} WHERE uuid = (SELECT uuid FROM data_record
         WHERE domain_version_uuid = $1 ORDER BY random() LIMIT 1) RETURNING uuid`,
      [version.uuid],
    );
    await log(
      client,
      'PUT',
      rows.map(({ uuid }) => uuid),
    );
  };
  const changes = [add, remove, move];

  const listingMemory = createListingMemory();
  const access = () => ({
    database,
    searchIndexes: {
      requestIndex: () => undefined,
      sweep: () => undefined,
      settle: async () => undefined,
      close: async () => undefined,
    },
    listingMemory,
    recordCounts,
  });
  const size = 10;
  /** Every record in the order, by the whole of what it is sorted by. */
  const listAll = async (order: readonly SortTerm[]): Promise<string[]> => {
    const features = await loadDatabaseFeatures(database.pool);
    const terms = order.map(
      ({ property, descending }) =>
        `${writeComparable('dr_key', property, features)} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}, `,
    );
    const { rows } = await database.pool.query<{ readonly uuid: string }>(
      `SELECT uuid FROM data_record WHERE domain_version_uuid = $1
       ORDER BY ${terms.join('')} uuid ${order.at(-1)?.descending === true ? 'DESC' : 'ASC'}`,
      [version.uuid],
    );
    return rows.map(({ uuid }) => uuid);
  };
  const expectRight = async (page: number, order: readonly SortTerm[] = []): Promise<void> => {
    const listing = createRecordListing(access(), database.pool, filter, order, { page, size });
    const listed = await listing.records();
    const all = await listAll(order);
    expect(listed.map(({ uuid }) => uuid)).toEqual(all.slice(page * size, (page + 1) * size));
    expect((await listing.pageInfo()).totalElements).toBe(all.length);
  };

  it.each(
    orders.map((order) => ({
      order,
      terms: order.map(({ property, descending }) => `${descending ? '-' : ''}${property.name}`).join(','),
    })),
  )('never returns a page or a total that a count would not, sorted by "$terms"', async ({ order }) => {
    for (let round = 0; round < 25; round += 1) {
      if (round % 9 === 4) await database.transaction(changes[randomInt(3)] ?? add);
      await expectRight(randomInt(100, 305), order);
    }
  });

  it('is right while a writer is at work and after it', async () => {
    for (const change of changes) {
      for (const order of [[], [age]]) {
        await expectRight(250, order);
        await database.transaction(async (client) => {
          await change(client);
          await expectRight(250, order);
          await expectRight(200, order);
        });
        await expectRight(250, order);
        await expectRight(200, order);
      }
    }
  });

  it.each([{ order: [] }, { order: [id] }])(
    'remembers when no transaction writes, with $order.length terms',
    async ({ order }) => {
      await eventually(async () => {
        await expectRight(280, order);
        const known = await listingMemory.recall(database.pool, { domainVersionUuid: version.uuid, order });
        expect(known?.anchorFor(2_805)?.offset).toBeGreaterThanOrEqual(2_500);
      });
    },
  );

  it('bounds what it remembers', async () => {
    await eventually(async () => {
      const known = await listingMemory.recall(database.pool, { domainVersionUuid: version.uuid, order: [age] });
      const anchors = Array.from({ length: 5_000 }, (_, offset) => ({ offset, uuid: randomUUID(), values: ['1'] }));
      known?.addAnchors(anchors);
      expect(known?.anchorFor(3_999)).toBeUndefined();
      expect(known?.anchorFor(4_000)).toEqual(anchors[4_000]);
    });
  });

  it('ends with the page for a version that shrank', async () => {
    for (const order of orders) {
      const listing = createRecordListing(access(), database.pool, filter, order, { page: 5_000, size });
      expect(await listing.records()).toEqual([]);
    }
  });
});
