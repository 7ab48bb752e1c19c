import type { Database } from '@fds/database';
import type { AclEntry } from '@fds/governance-rules';

/** The active entries about GET in the chains of some zones. */
export const aclEntriesOf = async (
  { reads }: Pick<Database, 'reads'>,
  zoneUuids: readonly string[],
): Promise<AclEntry[]> => {
  const { rows } = await reads.query<AclEntry>({
    name: 'assembly-acl-entries',
    text: `SELECT uuid, zone_uuid AS "zoneUuid", chain, position, source_zone_uuid AS "sourceZoneUuid",
        source_adaptor_uuid AS "sourceAdaptorUuid", destination_zone_uuid AS "destinationZoneUuid",
        destination_adaptor_uuid AS "destinationAdaptorUuid", domain_version_uuid AS "domainVersionUuid",
        coalesce(properties, ARRAY[]::text[]) AS properties, get, post, put, delete, active,
        ARRAY(SELECT record_uuid FROM zone_acl_record r WHERE r.acl_uuid = zone_acl.uuid) AS "drUuids"
      FROM zone_acl WHERE active AND get IS NOT NULL AND zone_uuid = ANY($1::uuid[])`,
    values: [zoneUuids],
  });
  return rows;
};
