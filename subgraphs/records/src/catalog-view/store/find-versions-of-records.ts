import type { Queryable } from '@fds/database';

/** The domain versions of records; a record that does not exist has no entry. A record never changes its version. */
export const findVersionsOfRecords = async (
  client: Queryable,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (recordUuids.length === 0) return new Map();
  const { rows } = await client.query<{ readonly uuid: string; readonly domain_version_uuid: string }>({
    name: 'records-find-versions-of-records',
    text: 'SELECT uuid, domain_version_uuid FROM data_record WHERE uuid = ANY ($1::uuid[])',
    values: [recordUuids],
  });
  return new Map(rows.map((row) => [row.uuid, row.domain_version_uuid]));
};
