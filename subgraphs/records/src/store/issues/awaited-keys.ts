import { binaryArray, type SqlSession, type Queryable } from '@fds/database';
import type { RaisedIssue } from '../../domain/events/event-outcome.js';
import type { RecordKey } from '../../domain/records/record-key.js';

/** Notes the keys that events wait for. After the issues themselves. */
export const saveAwaitedKeys = async (
  client: SqlSession,
  issues: readonly Pick<RaisedIssue, 'uuid' | 'awaits'>[],
): Promise<void> => {
  const rows = issues.flatMap(({ uuid, awaits = [] }) => awaits.map((key) => ({ ...key, uuid })));
  if (rows.length === 0) return;
  await client.query({
    name: 'records-save-awaited-keys',
    text: `INSERT INTO awaited_key (domain_version_uuid, key_digest, issue_uuid)
           SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::uuid[]) ON CONFLICT DO NOTHING`,
    values: [
      binaryArray.uuid(rows.map(({ domainVersionUuid }) => domainVersionUuid)),
      binaryArray.bytea(rows.map(({ keyDigest }) => keyDigest)),
      binaryArray.uuid(rows.map(({ uuid }) => uuid)),
    ],
  });
};

/** The events of these issues were processed, or wait for something else now. */
export const forgetAwaitedKeys = async (client: SqlSession, issueUuids: readonly string[]): Promise<void> => {
  if (issueUuids.length === 0) return;
  await client.query({
    name: 'records-forget-awaited-keys',
    text: 'DELETE FROM awaited_key WHERE issue_uuid = ANY ($1::uuid[])',
    values: [binaryArray.uuid(issueUuids)],
  });
};

/** Those of the keys that are of a version of which any event awaits a record. */
export const keepAwaited = async (client: Queryable, keys: readonly RecordKey[]): Promise<readonly RecordKey[]> => {
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-find-awaited-versions',
    text: `SELECT v.uuid FROM unnest($1::uuid[]) AS v(uuid)
           WHERE EXISTS (SELECT FROM awaited_key k WHERE k.domain_version_uuid = v.uuid)`,
    values: [[...new Set(keys.map(({ domainVersionUuid }) => domainVersionUuid))]],
  });
  const awaited = new Set(rows.map(({ uuid }) => uuid));
  return keys.filter(({ domainVersionUuid }) => awaited.has(domainVersionUuid));
};
