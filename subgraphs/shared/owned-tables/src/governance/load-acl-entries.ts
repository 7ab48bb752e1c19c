import type { Queryable } from '@fds/database';
import type { AclEntry } from '@fds/governance-rules';

const columns = `uuid, zone_uuid AS "zoneUuid", chain, position, source_zone_uuid AS "sourceZoneUuid",
  source_adaptor_uuid AS "sourceAdaptorUuid", destination_zone_uuid AS "destinationZoneUuid",
  destination_adaptor_uuid AS "destinationAdaptorUuid", domain_version_uuid AS "domainVersionUuid",
  coalesce(properties, ARRAY[]::text[]) AS properties, "get", post, put, "delete", active`;

/** The entries of all zones' chains. */
export const loadAclEntries = async (client: Queryable): Promise<AclEntry[]> => {
  const { rows } = await client.query<AclEntry>(
    `SELECT ${columns}, coalesce(attached.records, ARRAY[]::uuid[]) AS "drUuids"
     FROM zone_acl LEFT JOIN (
       SELECT acl_uuid, array_agg(record_uuid) AS records FROM zone_acl_record GROUP BY acl_uuid
     ) attached ON attached.acl_uuid = zone_acl.uuid`,
  );
  return rows;
};

/** The active entries in the chains of some zones. */
export const loadActiveAclEntries = async (client: Queryable, zoneUuids: readonly string[]): Promise<AclEntry[]> => {
  const { rows } = await client.query<AclEntry>({
    name: 'governance-active-acl-entries',
    text: `SELECT ${columns},
             ARRAY(SELECT record_uuid FROM zone_acl_record r WHERE r.acl_uuid = zone_acl.uuid) AS "drUuids"
           FROM zone_acl WHERE active AND zone_uuid = ANY($1::uuid[])`,
    values: [zoneUuids],
  });
  return rows;
};
