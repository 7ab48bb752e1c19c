import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { logChanges, type Queryable, type SqlClient } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import { comparePlaces, loadDatabaseFeatures, writeComparable, writePlaceValues, type SortTerm } from '@fds/search';
import { createLog } from '@fds/service';
import { casesOf } from '@fds/testing';
import { createRecordCounts, type RecordCounts } from '../create-record-counts.js';
import { createRecordListing, type RecordListing } from '../resolvers/record-listing.js';
import { bytesOf } from './anchors.js';
import { createListingMemory, type ListingMemory } from './listing-memory.js';

const version = { uuid: randomUUID(), domainType: 'SERVICE_DATA_STORE' as const };
/** A version whose records the listings do not show. */
const otherVersionUuid = randomUUID();
const filter = { version, rows: 'PER_RECORD' as const };

const id = { property: { name: 'id', type: 'string' }, descending: false } as const;
const age = { property: { name: 'age', type: 'integer' }, descending: false } as const;
/** A search property: a value of the data that is not in the DR Key. */
const city = { property: { name: 'city', type: 'string', dataPath: ['city'] }, descending: false } as const;
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
  [city],
  [down(city), age],
];
const byTerms = orders.map((order) => ({
  order,
  terms: order.map(({ property, descending }) => `${descending ? '-' : ''}${property.name}`).join(','),
}));
/** Values that are missing, that many records have, that differ in case, and that differ after 200 characters only. */
const someKey = `jsonb_build_object(
  'id', CASE floor(random() * 10) WHEN 0 THEN NULL WHEN 1 THEN repeat('É', 200) || floor(random() * 50)
        WHEN 2 THEN repeat('x', 199) WHEN 3 THEN 'TWICE' WHEN 4 THEN 'twice' ELSE 'k' || floor(random() * 2000) END,
  'age', CASE floor(random() * 4) WHEN 0 THEN NULL ELSE floor(random() * 400) END)`;
/** Tells records apart: no two have the same data. */
const someData = `jsonb_build_object('city', 'City ' || floor(random() * 700), 'mark', gen_random_uuid())`;

/** The content that a test asks for. Each has its own statement. */
type Shown = 'records' | 'data';
const anyOrderOfShown = (): readonly Shown[] => (randomInt(2) === 0 ? ['records', 'data'] : ['data', 'records']);
const readShown = async (listing: RecordListing, shown: Shown): Promise<readonly (string | null)[]> =>
  shown === 'data' ? listing.data() : (await listing.records()).map(({ uuid }) => uuid);

interface StoredRecord {
  readonly uuid: string;
  readonly json: string;
}
const showPage = (all: readonly StoredRecord[], page: number, size: number, shown: Shown): readonly string[] =>
  all.slice(page * size, (page + 1) * size).map(({ uuid, json }) => (shown === 'data' ? json : uuid));

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

  interface ChangedRow {
    readonly uuid: string;
    readonly dr_key: JsonObject;
    readonly json: JsonObject;
  }
  const columns = 'uuid, dr_key, json';
  const insert = async (client: SqlClient, count: number, versionUuid = version.uuid): Promise<ChangedRow[]> => {
    const { rows } = await client.query<ChangedRow>(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), ${someKey}, ${someData}
       FROM generate_series(1, $2::int) RETURNING ${columns}`,
      [versionUuid, count],
    );
    return rows;
  };
  const log = (
    client: SqlClient,
    action: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    rows: readonly ChangedRow[],
    versionUuid = version.uuid,
  ) =>
    logChanges(
      client,
      rows.map(({ uuid, dr_key, json }) => ({
        action,
        resourceType: 'Dr',
        resource: `/drs/${uuid}`,
        resourceUuid: uuid,
        data: { uuid, domainVersionUuid: versionUuid, drKey: dr_key, json },
      })),
    );
  /** A record that no other transaction changes at the moment. */
  const someRecord = `SELECT uuid FROM data_record WHERE domain_version_uuid = $1 AND uuid >= gen_random_uuid()
                      ORDER BY uuid LIMIT 1 FOR UPDATE SKIP LOCKED`;
  const update = async (client: SqlClient, assignment: string): Promise<ChangedRow[]> => {
    const { rows } = await client.query<ChangedRow>(
      `UPDATE data_record SET ${assignment} WHERE uuid = (${someRecord}) RETURNING ${columns}`,
      [version.uuid],
    );
    return rows;
  };
  const add = async (client: SqlClient) => log(client, 'POST', await insert(client, 1));
  const remove = async (client: SqlClient): Promise<void> => {
    const statement = `DELETE FROM data_record WHERE uuid = (${someRecord}) RETURNING ${columns}`;
    await log(client, 'DELETE', (await client.query<ChangedRow>(statement, [version.uuid])).rows);
  };
  const move = async (client: SqlClient) => log(client, 'PUT', await update(client, `dr_key = ${someKey}`));
  const change = async (client: SqlClient) => log(client, 'PATCH', await update(client, `json = ${someData}`));
  /** Comes and goes in one transaction, or is replaced by another record. */
  const replace = async (client: SqlClient): Promise<void> => {
    await add(client);
    await remove(client);
  };
  const addOther = async (client: SqlClient) =>
    log(client, 'POST', await insert(client, 1, otherVersionUuid), otherVersionUuid);
  const changes = [add, remove, move, change, replace, addOther];
  const anyChange = () => changes[randomInt(changes.length)] ?? add;

  const listingMemory = createListingMemory();
  const access = (memory = listingMemory) => ({
    database,
    searchIndexes: {
      requestIndex: () => undefined,
      exists: () => false,
      sweep: () => undefined,
      settle: async () => undefined,
      close: async () => undefined,
    },
    listingMemory: memory,
    recordCounts,
  });
  const size = 10;
  /** Every record in the order, by the whole of what it is sorted by. */
  const listAll = async (order: readonly SortTerm[]): Promise<readonly StoredRecord[]> => {
    const features = await loadDatabaseFeatures(database.pool);
    const terms = order.map(
      ({ property, descending }) =>
        `${writeComparable('dr_key', property, features)} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}, `,
    );
    const { rows } = await database.pool.query<StoredRecord>(
      `SELECT uuid, json::text AS json FROM data_record WHERE domain_version_uuid = $1
       ORDER BY ${terms.join('')} uuid ${order.at(-1)?.descending === true ? 'DESC' : 'ASC'}`,
      [version.uuid],
    );
    return rows;
  };
  const expectRight = async (
    page: number,
    order: readonly SortTerm[] = [],
    {
      session = database.pool,
      memory = listingMemory,
      ways = anyOrderOfShown(),
    }: { session?: Queryable; memory?: ListingMemory; ways?: readonly Shown[] } = {},
  ): Promise<void> => {
    const all = await listAll(order);
    for (const shown of ways) {
      const listing = createRecordListing(access(memory), session, filter, {
        order,
        page,
        size,
        isTotalRequested: true,
      });
      expect(await readShown(listing, shown)).toEqual(showPage(all, page, size, shown));
      expect((await listing.pageInfo()).totalElements).toBe(all.length);
    }
  };

  it.each(byTerms)('never returns a page or a total that a count would not, sorted by "$terms"', async ({ order }) => {
    for (let round = 0; round < casesOf(8); round += 1) {
      if (round % 3 === 2) await database.transaction(anyChange());
      await expectRight(randomInt(5, 305), order);
      if (round % 2 === 0) await expectRight(randomInt(12), order);
    }
  });

  it('is right while a writer is at work and after it', async () => {
    for (const written of changes) {
      for (const order of [[], [age], [city]]) {
        await expectRight(250, order);
        await database.transaction(async (client) => {
          await written(client);
          await expectRight(250, order);
          await expectRight(200, order);
        });
        await expectRight(250, order);
        await expectRight(200, order);
      }
    }
  });

  it.each(byTerms)('compares places as the database sorts rows, sorted by "$terms"', async ({ order }) => {
    const features = await loadDatabaseFeatures(database.pool);
    const { rows } = await database.pool.query<{ uuid: string; values: (string | null)[] }>(
      `SELECT uuid, ARRAY[${writePlaceValues(order, 'dr_key', features).join(', ')}]::text[] AS values
       FROM data_record WHERE domain_version_uuid = $1 ORDER BY gen_random_uuid()`,
      [version.uuid],
    );
    const sorted = rows.sort((one, other) => comparePlaces(order, one, other)).map(({ uuid }) => uuid);
    expect(sorted).toEqual((await listAll(order)).map(({ uuid }) => uuid));
  });

  // An anchor every 500 places is remembered on the way. The pages are far enough from the next 500 that the anchors below
  // them stay near while they move.
  describe('counts the rows on the way to a place once or seldom', () => {
    /** A session that counts the statements that read all rows on the way. */
    const counting = (): Queryable & { longReads: number } => {
      const session = {
        longReads: 0,
        query: ((statement, values) => {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (text.includes('row_number() OVER () - 1')) session.longReads += 1;
          return database.pool.query(statement, values);
        }) as Queryable['query'],
      };
      return session;
    };
    const readWhile = async (
      order: readonly SortTerm[],
      write: (client: SqlClient) => Promise<void>,
      { rounds, ways }: { readonly rounds: number; readonly ways?: readonly Shown[] },
    ) => {
      const session = counting();
      const memory = createListingMemory();
      for (let round = 0; round < rounds; round += 1) {
        await expectRight(140, order, { session, memory, ...(ways && { ways }) });
        await database.transaction(write);
      }
      return session.longReads;
    };
    const addAndRemove = (index: number) => (index % 2 === 0 ? add : remove);

    const someOrders = [[], [id], [down(age), id], [city]];
    const shownInOrder = someOrders.flatMap((order) => [
      { order, shown: 'records' as const },
      { order, shown: 'data' as const },
    ]);
    it.each(shownInOrder)(
      'while records come and go, for $shown with $order.length terms',
      async ({ order, shown }) => {
        let written = 0;
        const rounds = 30;
        const ways = [shown];
        const longReads = await readWhile(order, (client) => addAndRemove(written++)(client), { rounds, ways });
        // once, unless no index finds the record at the place of an anchor: then the page can move away from all others
        expect(longReads).toBeLessThan(rounds / 3);
      },
    );

    it('while records change that keep their keys', async () => {
      expect(await readWhile([id], change, { rounds: 10 })).toBe(1);
    });

    it('but again after a key has changed, or a record that no entry of the change log names', async () => {
      // `move` can give a record the key that it has
      const newKey = `dr_key = jsonb_build_object('id', gen_random_uuid()::text)`;
      const moveSurely = async (client: SqlClient) => log(client, 'PUT', await update(client, newKey));
      expect(await readWhile([id], moveSurely, { rounds: 3 })).toBe(3);
      const addSilently = async (client: SqlClient) => void (await insert(client, 1));
      expect(await readWhile([], addSilently, { rounds: 3 })).toBe(3);
    });

    it('over more changes than one statement reads', async () => {
      const session = counting();
      const memory = createListingMemory();
      for (let round = 0; round < 40; round += 1) {
        await expectRight(280, [], { session, memory });
        await database.transaction(async (client) => log(client, 'POST', await insert(client, 20)));
        await database.transaction(async (client) => {
          for (let n = 0; n < 20; n += 1) await remove(client);
        });
      }
      expect(session.longReads).toBe(1);
    });

    it('while a transaction that has written stays open', async () => {
      const session = counting();
      const memory = createListingMemory();
      await expectRight(280, [], { session, memory });
      await database.transaction(async (open) => {
        await add(open);
        for (let round = 0; round < 10; round += 1) {
          await database.transaction(addAndRemove(round));
          await expectRight(280, [], { session, memory });
        }
      });
      await expectRight(280, [], { session, memory });
      expect(session.longReads).toBe(1);
    });
  });

  it.each([{ order: [] }, { order: [id] }])(
    'reads a change with one row of the page only, with $order.length terms',
    async ({ order }) => {
      const memory = createListingMemory();
      await expectRight(150, order, { memory });
      await database.transaction(add);
      const rowsWithChanges: number[] = [];
      const session: Queryable = {
        query: (async (statement, values) => {
          const answer = await database.pool.query<{ readonly changes?: unknown }>(statement, values);
          rowsWithChanges.push(answer.rows.filter(({ changes: read }) => Array.isArray(read)).length);
          return answer;
        }) as Queryable['query'],
      };
      await expectRight(150, order, { session, memory });
      expect(Math.max(...rowsWithChanges)).toBe(1);
    },
  );

  it.each([
    { terms: 'nothing', order: [] },
    ...byTerms.filter(({ terms }) => ['id', '-age', '-age,id'].includes(terms)),
  ])('gives pages of one moment each while four writers commit and roll back, sorted by $terms', async ({ order }) => {
    const memory = createListingMemory();
    /** The records after each commit. Commits wait for one another, transactions do not. */
    const states = [await listAll(order)];
    let committed = Promise.resolve();
    const readers = { atWork: 2 };
    const write = async (): Promise<void> => {
      while (readers.atWork > 0) {
        const client = await database.pool.connect();
        try {
          await client.query('BEGIN');
          for (let n = randomInt(1, 4); n > 0; n -= 1) await anyChange()(client);
          if (randomInt(6) === 0) {
            await client.query('ROLLBACK');
            continue;
          }
          committed = committed.then(async () => {
            await client.query('COMMIT');
            states.push(await listAll(order));
          });
          await committed;
        } finally {
          client.release();
        }
      }
    };
    const read = async (): Promise<void> => {
      try {
        for (let reads = 0; reads < casesOf(8) || (states.length < 8 && reads < 2_000); reads += 1) {
          const page = randomInt(120, 305);
          const [shown = 'data'] = anyOrderOfShown();
          const before = states.length - 1;
          const listing = createRecordListing(access(memory), database.pool, filter, {
            order,
            page,
            size,
            isTotalRequested: true,
          });
          const listed = await readShown(listing, shown);
          await committed;
          const possible = states.slice(before).map((all) => showPage(all, page, size, shown));
          expect(possible).toContainEqual(listed);
        }
      } finally {
        readers.atWork -= 1;
      }
    };
    const ends = await Promise.allSettled([read(), read(), write(), write(), write(), write()]);
    expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))).toEqual([]);
  });

  it.each([{ order: [] }, { order: [id] }])(
    'reads the data of a deep page from a place and without other columns, with $order.length terms',
    async ({ order }) => {
      const memory = createListingMemory();
      await expectRight(150, order, { memory });
      const columns: string[][] = [];
      const session: Queryable = {
        query: (async (statement, values) => {
          const answer = await database.pool.query(statement, values);
          columns.push(answer.fields.map(({ name }) => name));
          return answer;
        }) as Queryable['query'],
      };
      const listing = createRecordListing(access(memory), session, filter, {
        order,
        page: 150,
        size,
        isTotalRequested: true,
      });
      expect(await listing.data()).toHaveLength(size);
      const read = columns.find((names) => names.includes('json'));
      expect(read).toEqual(['total', 'moves', 'scanned', 'changes', 'json', 'end_uuid', 'end_values']);
    },
  );

  describe('for a sorted page near the first', () => {
    const [page, order] = [48, [id]] as const;
    /** Reads the page, and returns the values and the columns of the statement that read it. */
    const readNear = async (memory: ListingMemory) => {
      const statements: { readonly values: readonly unknown[]; readonly columns: readonly string[] }[] = [];
      const session: Queryable = {
        query: (async (statement, values) => {
          const answer = await database.pool.query(statement, values);
          const given = typeof statement === 'string' ? values : statement.values;
          statements.push({ values: given ?? [], columns: answer.fields.map(({ name }) => name) });
          return answer;
        }) as Queryable['query'],
      };
      await expectRight(page, order, { session, memory, ways: ['data'] });
      const read = statements.find(({ columns: names }) => names.includes('json'));
      if (read === undefined) throw new Error('no statement read the data');
      return read;
    };
    /** The page begins with a short text: an index finds the place. */
    const addFirst = async (client: SqlClient, count: number): Promise<void> => {
      const { rows } = await client.query<ChangedRow>(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
         SELECT gen_random_uuid(), $1, sha256(convert_to(gen_random_uuid()::text, 'UTF8')),
                jsonb_build_object('id', '0' || gen_random_uuid()), ${someData}
         FROM generate_series(1, $2::int) RETURNING ${columns}`,
        [version.uuid, count],
      );
      await log(client, 'POST', rows);
    };

    it('begins at its own place when it is read again', async () => {
      await database.transaction((client) => addFirst(client, 500));
      const memory = createListingMemory();
      const [first] = (await listAll(order)).slice(page * size);
      expect((await readNear(memory)).values).not.toContain(first?.uuid);
      expect((await readNear(memory)).values).toContain(first?.uuid);
    });

    // of 1500, one statement reads a part only
    it.each([150, 1_500])('reads no change log while that has %s entries', async (count) => {
      const memory = createListingMemory();
      await readNear(memory);
      await database.transaction(async (open) => {
        // later entries stay above the position that is settled
        await add(open);
        await database.transaction((client) => addFirst(client, count));
        expect((await readNear(memory)).columns).toContain('scanned');
        expect((await readNear(memory)).columns).not.toContain('scanned');
      });
    });
  });

  it('keeps to its bound of bytes', async () => {
    const memory = createListingMemory({ maxBytes: 100_000 });
    const remembered = async (domainVersionUuid: string) => {
      const known = await memory.recall(database.pool, { domainVersionUuid, order: [id] });
      if (known === undefined) throw new Error('the change log is not settled');
      return known;
    };
    const versions = Array.from({ length: 30 }, () => randomUUID());
    const state = { total: 0n, moves: 0n, scanned: 0, changes: [] };
    const anchors = Array.from({ length: 10 }, (_, offset) => ({
      offset,
      uuid: randomUUID(),
      values: [`${offset}`.padEnd(450, ' ')],
    }));
    for (const uuid of versions) (await remembered(uuid)).take(state, () => anchors);
    const sizes: number[] = [];
    for (const uuid of versions) sizes.push(bytesOf((await remembered(uuid)).anchors));
    const kept = sizes.filter((bytes) => bytes > 10_000);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(100_000);
    expect(sizes.at(-1)).toBeGreaterThan(10_000);
  });

  it('ends with the page for a version that shrank', async () => {
    for (const order of orders) {
      const listing = createRecordListing(access(), database.pool, filter, {
        order,
        page: 5_000,
        size,
        isTotalRequested: true,
      });
      expect([await listing.records(), await listing.data()]).toEqual([[], []]);
    }
  });
});
