import { binaryArray, type SqlSession } from '@fds/database';
import type { TokenChanges } from '../../domain/records/near-records.js';

/** Adds tokens to the index, and removes those of records that are gone. */
export const saveMatchTokens = async (
  client: SqlSession,
  { added, deletedRecordUuids }: TokenChanges,
): Promise<void> => {
  const sent: Promise<unknown>[] = [];
  if (deletedRecordUuids.length > 0) {
    sent.push(
      client.query({
        name: 'records-delete-match-tokens',
        text: 'DELETE FROM match_token WHERE record_uuid = ANY ($1::uuid[])',
        values: [binaryArray.uuid(deletedRecordUuids)],
      }),
    );
  }
  if (added.length > 0) {
    sent.push(
      client.query({
        name: 'records-save-match-tokens',
        text: `INSERT INTO match_token (domain_version_uuid, token, record_uuid)
               SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[]) ON CONFLICT DO NOTHING`,
        values: [
          binaryArray.uuid(added.map(({ domainVersionUuid }) => domainVersionUuid)),
          binaryArray.int8(added.map(({ token }) => token)),
          binaryArray.uuid(added.map(({ recordUuid }) => recordUuid)),
        ],
      }),
    );
  }
  await Promise.all(sent);
};

/**
 * One transaction at a time matches records of a version: two that see a new record at once must not make two of it. Taken
 * after channels and versions, before records; held until the transaction ends.
 */
export const lockMatching = async (client: SqlSession, domainVersionUuids: readonly string[]): Promise<void> => {
  if (domainVersionUuids.length === 0) return;
  await client.query({
    name: 'records-lock-matching',
    text: `SELECT pg_advisory_xact_lock(hashtextextended('match ' || uuid, 0)) FROM unnest($1::text[]) AS v(uuid)`,
    values: [domainVersionUuids.toSorted()],
  });
};
