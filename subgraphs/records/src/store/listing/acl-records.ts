import { AppError } from '@fds/errors';
import type { Queryable } from '../channels/channel.js';

/** An entry of a zone's chain. */
export interface AclKey {
  readonly zoneUuid: string;
  readonly chain: 'INBOUND' | 'OUTBOUND';
  readonly aclUuid: string;
}

/**
 * Records that an entry is restricted to and that exist, with their versions, in the order of uuids.
 *
 * @throws AppError NOT_FOUND when there is no such entry
 */
export const loadAclRecords = async (
  client: Queryable,
  { zoneUuid, chain, aclUuid }: AclKey,
  adaptorUuid: string | undefined,
): Promise<ReadonlyMap<string, string>> => {
  const { rowCount } = await client.query(
    'SELECT FROM zone_acl WHERE uuid = $1::uuid AND zone_uuid = $2::uuid AND chain = $3',
    [aclUuid, zoneUuid, chain],
  );
  if (rowCount === 0) throw new AppError('NOT_FOUND', `there is no entry ${aclUuid} in the chain`);
  const { rows } = await client.query<{ readonly uuid: string; readonly version: string }>(
    `SELECT r.uuid, r.domain_version_uuid AS version
     FROM zone_acl_record a JOIN data_record r ON r.uuid = a.record_uuid
     WHERE a.acl_uuid = $1::uuid AND ($2::uuid IS NULL OR EXISTS (
       SELECT FROM record_link l WHERE l.record_uuid = r.uuid AND l.adaptor_uuid = $2::uuid))
     ORDER BY r.uuid`,
    [aclUuid, adaptorUuid ?? null],
  );
  return new Map(rows.map(({ uuid, version }) => [uuid, version]));
};
