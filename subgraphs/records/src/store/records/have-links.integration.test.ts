import type { SqlSession } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { haveLinks } from './have-links.js';

describe('haveLinks', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const addLinks = (client: SqlSession, versionUuid: string, count: number) =>
    client.query({
      text: `WITH record AS (
               INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
               SELECT gen_random_uuid(), $1, sha256(n::text::bytea), '{}' FROM generate_series(1, $2::int) AS n
               RETURNING uuid, key_digest
             )
             INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
             SELECT uuid, gen_random_uuid(), $1, key_digest, '{}', '{}' FROM record`,
      values: [versionUuid, count],
    });
  const addRemovedLink = (client: SqlSession, versionUuid: string) =>
    client.query({
      text: `INSERT INTO removed_link (domain_version_uuid, key_digest, adaptor_uuid, record_uuid, known_content, last_sequence)
             VALUES ($1, '\\x01', gen_random_uuid(), gen_random_uuid(), '{}', 1)`,
      values: [versionUuid],
    });

  it('finds links and removed links of each of the versions, and none of others', async () => {
    const [linked, removed, free] = [randomUUID(), randomUUID(), randomUUID()];
    await database.transaction(async (client) => {
      await addLinks(client, linked, 1);
      await addRemovedLink(client, removed);
    });
    const ask = (versionUuids: readonly string[]): Promise<boolean> => haveLinks(database.pool, versionUuids);
    expect(await ask([free])).toBe(false);
    expect(await ask([])).toBe(false);
    expect(await ask([free, linked])).toBe(true);
    expect(await ask([removed])).toBe(true);
  });

  it('scans no table for a version without links, though the plan was made for few links', async () => {
    const undone = new Error('the transaction is rolled back');
    const work = database.transaction(async (client) => {
      const free = randomUUID();
      // PostgreSQL keeps one plan after a statement has run five times in a connection
      for (let run = 1; run <= 6; run += 1) expect(await haveLinks(client, [free])).toBe(false);
      await addLinks(client, randomUUID(), 2000);
      const scans = async (): Promise<unknown> =>
        (
          await client.query<{ readonly scans: bigint }>(
            `SELECT sum(seq_scan)::bigint AS scans FROM pg_stat_xact_user_tables
             WHERE relname IN ('record_link', 'removed_link')`,
          )
        ).rows[0]?.scans;
      const before = await scans();
      expect(await haveLinks(client, [free])).toBe(false);
      expect(await scans()).toBe(before);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });
});
