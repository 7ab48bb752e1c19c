import { logChanges, type SqlClient } from '@fds/database';
import { toLoggedIssueChange } from '../issues/to-logged-issue.js';
import { firstUuid, firstUuidAt, type OldRows, type PrunedRows } from './old-rows.js';

interface RemovedRow {
  readonly uuid: string;
  readonly zone_uuid: string;
  readonly title: string;
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  readonly recordUuid: string | null;
}

/** Removes issues that are closed and were last changed before the moment; the change log tells of it. Locked ones stay. */
export const pruneIssues = async (client: SqlClient, { after, before, limit }: OldRows): Promise<PrunedRows> => {
  // one that was changed before the moment was made before it
  const { rows: page } = await client.query<{ readonly uuid: string }>({
    name: 'records-read-old-issues',
    text: 'SELECT uuid FROM data_issue WHERE uuid > $1 AND uuid < $2 ORDER BY uuid LIMIT $3',
    values: [after ?? firstUuid, firstUuidAt(before), limit],
  });
  const last = page.at(-1)?.uuid ?? null;
  if (last === null) return { last, removed: 0 };
  const { rows: removed } = await client.query<RemovedRow>({
    name: 'records-prune-issues',
    text: `DELETE FROM data_issue WHERE uuid IN (
             SELECT uuid FROM data_issue
             WHERE uuid = ANY ($1::uuid[]) AND status = 'CLOSED' AND last_updated < $2 FOR UPDATE SKIP LOCKED)
           RETURNING uuid, zone_uuid, title, adaptor_uuid AS "adaptorUuid", domain_version_uuid AS "domainVersionUuid",
             record_uuid AS "recordUuid"`,
    values: [page.map(({ uuid }) => uuid), before],
  });
  const changes = removed.map(({ uuid, zone_uuid: zoneUuid, title, ...subject }) => {
    const change = toLoggedIssueChange({ uuid, zoneUuid, subject }, { status: 'CLOSED', title });
    return { ...change, action: 'DELETE' as const };
  });
  if (changes.length > 0) await logChanges(client, changes);
  return { last: page.length < limit ? null : last, removed: removed.length };
};
