import type { SqlSession } from '@fds/database';

/**
 * Locks domain versions against changes until the transaction ends; returns their current state. A version that does
 * not exist has no entry.
 */
export const lockVersions = async (
  client: SqlSession,
  versionUuids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await client.query<{ readonly uuid: string; readonly revision: string }>({
    name: 'records-lock-versions',
    // the domain by the index: a join alone may scan the table
    text: `SELECT v.uuid,
                  (SELECT d.change_version FROM domain d WHERE d.uuid = v.domain_uuid) || '.' || v.change_version AS revision
           FROM domain_version v WHERE v.uuid = ANY ($1::uuid[]) ORDER BY v.uuid FOR SHARE OF v`,
    values: [versionUuids],
  });
  return new Map(rows.map(({ uuid, revision }) => [uuid, revision]));
};
