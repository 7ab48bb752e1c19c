import type { SqlClient } from '@fds/database';
import { logIssues } from '../issues/log-issues.js';
import { firstUuid, firstUuidAt, type OldRows, type PrunedRows } from './old-rows.js';

/**
 * Removes issues that are closed and were last changed before the moment; each removal is in the change log. Locked
 * ones stay.
 */
export const pruneIssues = async (client: SqlClient, { after, before, limit }: OldRows): Promise<PrunedRows> => {
  // an issue that was changed before the moment was made before it
  const { rows: page } = await client.query<{ readonly uuid: string }>({
    name: 'records-read-old-issues',
    text: 'SELECT uuid FROM data_issue WHERE uuid > $1 AND uuid < $2 ORDER BY uuid LIMIT $3',
    values: [after ?? firstUuid, firstUuidAt(before), limit],
  });
  const last = page.at(-1)?.uuid ?? null;
  if (last === null) return { last, removed: 0 };
  const { rows: old } = await client.query<{ readonly uuid: string }>({
    name: 'records-lock-old-issues',
    text: `SELECT uuid FROM data_issue
           WHERE uuid = ANY ($1::uuid[]) AND status = 'CLOSED' AND last_updated < $2 FOR UPDATE SKIP LOCKED`,
    values: [page.map(({ uuid }) => uuid), before],
  });
  await logIssues(
    client,
    old.map(({ uuid }) => ({ uuid, action: 'DELETE' })),
  );
  await client.query({
    name: 'records-prune-issues',
    text: 'DELETE FROM data_issue WHERE uuid = ANY ($1::uuid[])',
    values: [old.map(({ uuid }) => uuid)],
  });
  return { last: page.length < limit ? null : last, removed: old.length };
};
