import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { logChanges, type SqlClient } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createRecordListing } from '../../resolvers/listing/record-listing.js';
import { createListingMemory } from './listing-memory.js';

const version = { uuid: randomUUID(), domainType: 'SERVICE_DATA_STORE' as const };
const filter = { version, rows: 'PER_RECORD' as const };

describe('the memory of listings', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.transaction((client) => insert(client, 3_000));
  });
  afterAll(() => database.drop());

  const insert = async (client: SqlClient, count: number): Promise<string[]> => {
    const { rows } = await client.query<{ readonly uuid: string }>(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), '{}', '{}'
       FROM generate_series(1, $2::int) RETURNING uuid`,
      [version.uuid, count],
    );
    return rows.map(({ uuid }) => uuid);
  };
  const log = (client: SqlClient, action: 'POST' | 'DELETE', uuids: readonly string[]) =>
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

  const listingMemory = createListingMemory();
  listingMemory.noteSize(version.uuid, 1_000_000);
  const access = () => ({
    database,
    searchIndexes: {
      wish: () => undefined,
      sweep: () => undefined,
      settle: async () => undefined,
      close: async () => undefined,
    },
    listingMemory,
  });
  const expectRight = async (page: number): Promise<void> => {
    const size = 10;
    const listing = createRecordListing(access(), database.pool, filter, [], { page, size });
    const listed = await listing.records();
    const { rows } = await database.pool.query<{ readonly uuid: string }>(
      'SELECT uuid FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid',
      [version.uuid],
    );
    expect(listed.map(({ uuid }) => uuid)).toEqual(rows.slice(page * size, (page + 1) * size).map(({ uuid }) => uuid));
    // a listing remembers that it was large only while it is: tell it again
    listingMemory.noteSize(version.uuid, 1_000_000);
    expect((await listing.pageInfo()).totalElements).toBe(rows.length);
    listingMemory.noteSize(version.uuid, 1_000_000);
  };

  it('never tells a page or a total that a count would not', async () => {
    for (let round = 0; round < 150; round += 1) {
      if (round % 3 === 1) await database.transaction(randomInt(2) === 0 ? add : remove);
      await expectRight(randomInt(100, 300));
    }
  });

  it('is right while a writer is at work and after it', async () => {
    for (const change of [add, remove]) {
      await expectRight(250);
      await database.transaction(async (client) => {
        await change(client);
        await expectRight(250);
        await expectRight(200);
      });
      await expectRight(250);
      await expectRight(200);
    }
  });

  it('remembers when nobody writes', async () => {
    await eventually(async () => {
      await expectRight(280);
      const known = await listingMemory.recall(database.pool, version.uuid);
      expect(known?.total).toBeGreaterThan(2_000);
      expect(known?.anchorFor(2_805)).toMatchObject({ offset: expect.any(Number) });
    });
  });

  it('ends with the page for a version that shrank', async () => {
    const listing = createRecordListing(access(), database.pool, filter, [], { page: 5_000, size: 10 });
    expect(await listing.records()).toEqual([]);
  });
});
