import type { SqlSession } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import type { RecordChanges } from '../../domain/records/record-book.js';
import { loadRecords } from './load-records.js';
import { saveRecords } from './save-records.js';

const domainVersionUuid = randomUUID();
const adaptorUuid = randomUUID();
const digestOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex');

const nothing: RecordChanges = {
  inserted: [],
  updated: [],
  deleted: [],
  savedLinks: [],
  deletedLinks: [],
  removedLinks: { kept: [], forgotten: [] },
};

describe('saveRecords', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  /** Records with a link each. */
  const addRecords = async (client: SqlSession, from: number, to: number): Promise<void> => {
    await client.query({
      text: `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
             SELECT gen_random_uuid(), $1, sha256(n::text::bytea), jsonb_build_object('id', n), '{}'
             FROM generate_series($2::int, $3::int) AS n`,
      values: [domainVersionUuid, from, to],
    });
    await client.query({
      text: `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
             SELECT uuid, $1, domain_version_uuid, key_digest, dr_key, '{}' FROM data_record
             WHERE (dr_key ->> 'id')::int BETWEEN $2 AND $3`,
      values: [adaptorUuid, from, to],
    });
  };

  const find = async (client: SqlSession, numbers: readonly number[]) => {
    const keys = numbers.map((n) => ({ domainVersionUuid, keyDigest: digestOf(n) }));
    return (await loadRecords(client, { keys, uuids: [] })).records;
  };

  /** Scans of whole tables that this transaction has made. */
  const scanned = async (client: SqlSession) => {
    const { rows } = await client.query<{ readonly relname: string; readonly seq_scan: bigint }>({
      text: `SELECT relname, seq_scan FROM pg_stat_xact_user_tables
             WHERE relname IN ('data_record', 'record_link') ORDER BY relname`,
    });
    return rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]);
  };

  /** PostgreSQL keeps one plan for all values after a statement has run five times in a connection. */
  const runsUntilPlanIsKept = 6;

  it('scans no table for updates and deleted links, though the plans were made for small tables', async () => {
    const undone = new Error('the transaction is rolled back');
    const work = database.transaction(async (client) => {
      await addRecords(client, 1, 5);
      const change = async (value: number): Promise<void> => {
        const records = await find(client, [1, 2, 3]);
        const updated = records.map((record) => ({ ...record, json: { value } }));
        const deletedLinks = records.map(({ uuid }) => ({ recordUuid: uuid, adaptorUuid }));
        await saveRecords(client, { ...nothing, updated, deletedLinks });
      };
      for (let run = 1; run <= runsUntilPlanIsKept; run += 1) await change(run);
      await addRecords(client, 6, 2000);
      const before = await scanned(client);
      await change(7);
      expect(await scanned(client)).toEqual(before);
      const after = await find(client, [1, 2, 3, 4]);
      const shown = after.map(({ drKey, json, changeVersion, links }) => [
        drKey['id'],
        json?.['value'],
        changeVersion,
        links.size,
      ]);
      expect(shown.toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
        [1, 7, 8, 0],
        [2, 7, 8, 0],
        [3, 7, 8, 0],
        [4, undefined, 1, 1],
      ]);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });
});
