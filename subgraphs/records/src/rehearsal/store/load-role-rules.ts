import type { AccessRule } from '@fds/access-rules';
import type { Queryable } from '@fds/database';

const listOrAny = (values: readonly string[]): readonly string[] | null => (values.length === 0 ? null : values);

/** The data access rules of a role of a zone, in their order. Undefined: the zone has no such role. */
export const loadRoleRules = async (
  session: Queryable,
  zoneUuid: string,
  roleUuid: string,
): Promise<readonly AccessRule[] | undefined> => {
  const { rows: roles } = await session.query({
    name: 'records-find-role-of-zone',
    text: 'SELECT FROM role WHERE uuid = $1 AND zone_uuid = $2',
    values: [roleUuid, zoneUuid],
  });
  if (roles.length === 0) return undefined;
  const { rows } = await session.query<{
    readonly effect: AccessRule['effect'];
    readonly actions: NonNullable<AccessRule['actions']>;
    readonly zone_uuid: string | null;
    readonly adaptor_uuid: string | null;
    readonly domain_uuid: string | null;
    readonly domain_version_uuid: string | null;
    readonly properties: string[];
    readonly dr_uuids: string[];
  }>({
    name: 'records-load-rules-of-role',
    text: `SELECT effect, actions, zone_uuid, adaptor_uuid, domain_uuid, domain_version_uuid, properties, dr_uuids
           FROM data_access_rule WHERE role_uuid = $1 ORDER BY position`,
    values: [roleUuid],
  });
  return rows.map((row) => ({
    effect: row.effect,
    actions: row.actions.length === 0 ? null : row.actions,
    zoneUuid: row.zone_uuid,
    adaptorUuid: row.adaptor_uuid,
    domainUuid: row.domain_uuid,
    domainVersionUuid: row.domain_version_uuid,
    properties: listOrAny(row.properties),
    drUuids: listOrAny(row.dr_uuids),
  }));
};
