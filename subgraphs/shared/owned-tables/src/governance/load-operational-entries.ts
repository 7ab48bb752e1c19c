import type { Queryable } from '@fds/database';
import type { OperationalEntry } from '@fds/governance-rules';

/** The entries of the operational chain. */
export const loadOperationalEntries = async (client: Queryable): Promise<OperationalEntry[]> => {
  const { rows } = await client.query<OperationalEntry>(
    `SELECT uuid, position, source_zone_uuid AS "sourceZoneUuid", source_adaptor_uuid AS "sourceAdaptorUuid",
            domain_version_uuid AS "domainVersionUuid", post, "delete", active
     FROM operational_acl`,
  );
  return rows;
};
