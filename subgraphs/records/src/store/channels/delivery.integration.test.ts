import type { SqlSession } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { loadInFlight } from './delivery.js';

const adaptorUuid = randomUUID();

describe('loadInFlight', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const addMessages = (client: SqlSession, count: number) =>
    client.query({
      text: `INSERT INTO delivery (adaptor_uuid, sequence, event_uuid, record_uuid, action, message)
             SELECT $1, n, gen_random_uuid(), gen_random_uuid(), 'POST', 'message ' || n FROM generate_series(1, $2::int) AS n`,
      values: [adaptorUuid, count],
    });

  /** Scans of the whole table that this transaction has made. */
  const scanned = async (client: SqlSession): Promise<number> => {
    const { rows } = await client.query<{ readonly seq_scan: bigint }>({
      text: `SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'delivery'`,
    });
    return Number(rows[0]?.seq_scan);
  };

  /** PostgreSQL keeps one plan for all values after a statement has run five times in a connection. */
  const runsUntilPlanIsKept = 6;

  it('does not scan the table, though the plan was made for an empty one', async () => {
    const undone = new Error('the transaction is rolled back');
    const wanted = [3, 5000].map((sequence) => ({ adaptorUuid, sequence }));
    const work = database.transaction(async (client) => {
      for (let run = 1; run <= runsUntilPlanIsKept; run += 1) {
        expect((await loadInFlight(client, wanted)).size).toBe(0);
      }
      await addMessages(client, 2000);
      const before = await scanned(client);
      const found = await loadInFlight(client, wanted);
      expect([...found].map(([id, { message }]) => [id, message])).toEqual([[`${adaptorUuid}:3`, 'message 3']]);
      expect(await scanned(client)).toBe(before);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });
});
