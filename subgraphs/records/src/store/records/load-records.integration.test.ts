import type { SqlSession } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { loadRecords, type WantedRecords } from './load-records.js';

const domainVersionUuid = randomUUID();
const digestOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
const keysFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ domainVersionUuid, keyDigest: digestOf(from + index) }));

describe('loadRecords', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const addRecords = (client: SqlSession, count: number) =>
    client.query({
      text: `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
             SELECT gen_random_uuid(), $1, sha256(n::text::bytea), jsonb_build_object('id', n), '{}'
             FROM generate_series(1, $2::int) AS n`,
      values: [domainVersionUuid, count],
    });

  /** Scans of whole tables that this transaction has made. */
  const scanned = async (client: SqlSession) => {
    const { rows } = await client.query<{ readonly relname: string; readonly seq_scan: bigint }>({
      text: `SELECT relname, seq_scan FROM pg_stat_xact_user_tables
             WHERE relname IN ('data_record', 'record_link', 'removed_link', 'match_token') ORDER BY relname`,
    });
    return rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]);
  };

  /** PostgreSQL keeps one plan for all values after a statement has run five times in a connection. */
  const runsUntilPlanIsKept = 6;

  it.each<[string, Pick<WantedRecords, 'near'>]>([
    ['exactly', {}],
    ['by tokens', { near: [{ domainVersionUuid, keyDigest: digestOf(0), tokens: [7n] }] }],
  ])('scans no table when keys match %s, though the plan was made for empty tables', async (_, more) => {
    const undone = new Error('the transaction is rolled back');
    const work = database.transaction(async (client) => {
      for (let run = 1; run <= runsUntilPlanIsKept; run += 1) {
        const { records } = await loadRecords(client, { keys: keysFrom(1, 3), uuids: [], ...more });
        expect(records).toEqual([]);
      }
      await addRecords(client, 2000);
      const { records } = await loadRecords(client, { keys: keysFrom(1, 3), uuids: [], ...more });
      expect(records.map(({ drKey }) => Number(drKey['id'])).sort((a, b) => a - b)).toEqual([1, 2, 3]);
      expect(await scanned(client)).toEqual([
        ['data_record', 0],
        ['match_token', 0],
        ['record_link', 0],
        ['removed_link', 0],
      ]);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });

  it('finds a record once that is wanted by its key, the key of a link, and its uuid', async () => {
    const [uuid, adaptorUuid] = [randomUUID(), randomUUID()];
    const [own, linked] = [digestOf(-1), digestOf(-2)];
    const { rows } = await database.pool.query(
      `WITH record AS (
         INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key) VALUES ($1, $2, decode($3, 'hex'), '{"id":1}')
       )
       INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
       VALUES ($1, $5, $2, decode($4, 'hex'), '{"id":2}', '{}') RETURNING record_uuid`,
      [uuid, domainVersionUuid, own, linked, adaptorUuid],
    );
    expect(rows).toHaveLength(1);
    const keys = [own, linked].map((keyDigest) => ({ domainVersionUuid, keyDigest }));
    const { records } = await database.transaction((client) => loadRecords(client, { keys, uuids: [uuid] }));
    expect(records.map((record) => [record.uuid, record.keyDigest, [...record.links.keys()]])).toEqual([
      [uuid, own, [adaptorUuid]],
    ]);
  });

  it('returns the records in the order of their uuids, in which it locks them, for keys in any order', async () => {
    await database.transaction((client) => addRecords(client, 50));
    const keys = keysFrom(1, 50);
    const load = (some: typeof keys) =>
      database.transaction(async (client) => (await loadRecords(client, { keys: some, uuids: [] })).records);
    const loads = await Promise.all([load(keys), load(keys.toReversed()), load(keys), load(keys.toReversed())]);
    for (const records of loads) {
      const uuids = records.map(({ uuid }) => uuid);
      expect(uuids).toHaveLength(50);
      expect(uuids).toEqual(uuids.toSorted());
    }
  });
});
