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
    text: `SELECT v.uuid, d.change_version || '.' || v.change_version AS revision
           FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid
           WHERE v.uuid = ANY ($1::uuid[]) ORDER BY v.uuid FOR SHARE OF v`,
    values: [versionUuids],
  });
  return new Map(rows.map(({ uuid, revision }) => [uuid, revision]));
};
