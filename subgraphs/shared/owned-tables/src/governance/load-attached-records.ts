import type { Queryable } from '@fds/database';
import { AppError } from '@fds/errors';

/** An entry of a zone's chain. */
export interface AclKey {
  readonly zoneUuid: string;
  readonly chain: 'INBOUND' | 'OUTBOUND';
  readonly aclUuid: string;
}

/**
 * The records that an entry is restricted to, those that were deleted included.
 *
 * @throws AppError NOT_FOUND when there is no such entry
 */
export const loadAttachedRecords = async (
  client: Queryable,
  { zoneUuid, chain, aclUuid }: AclKey,
): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly records: readonly string[] }>(
    `SELECT ARRAY(SELECT record_uuid FROM zone_acl_record r WHERE r.acl_uuid = zone_acl.uuid) AS records
     FROM zone_acl WHERE uuid = $1::uuid AND zone_uuid = $2::uuid AND chain = $3`,
    [aclUuid, zoneUuid, chain],
  );
  if (rows[0] === undefined) throw new AppError('NOT_FOUND', `there is no entry ${aclUuid} in the chain`);
  return rows[0].records;
};
