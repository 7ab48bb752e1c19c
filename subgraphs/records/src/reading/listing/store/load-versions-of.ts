import type { Queryable } from '@fds/database';

/**
 * Which of these records exist, with their versions, in the order of uuids.
 *
 * @param adaptorUuid only those that this adaptor has a link of; undefined: all
 */
export const loadVersionsOf = async (
  client: Queryable,
  recordUuids: readonly string[],
  adaptorUuid: string | undefined,
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await client.query<{ readonly uuid: string; readonly version: string }>(
    `SELECT r.uuid, r.domain_version_uuid AS version FROM data_record r
     WHERE r.uuid = ANY ($1::uuid[]) AND ($2::uuid IS NULL OR EXISTS (
       SELECT FROM record_link l WHERE l.record_uuid = r.uuid AND l.adaptor_uuid = $2::uuid))
     ORDER BY r.uuid`,
    [recordUuids, adaptorUuid ?? null],
  );
  return new Map(rows.map(({ uuid, version }) => [uuid, version]));
};
