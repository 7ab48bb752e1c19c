import { bothAllow, rulesOfPermissions } from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import { compileGrants } from '@fds/permissions';
import { listsOfRoles, loadRulesOfRoles, type RuleLists } from './data-rules.js';
import { loadGrants, type HeldGrant } from './load-grants.js';

/** The data of each person: one list of rules for everything that permissions and rules together allow. People without data are absent. */
export type DataOfPeople = ReadonlyMap<string, RuleLists>;

/** Which people, and by which of their memberships. */
export interface PeopleSelection {
  /** The users of this zone. */
  readonly zoneUuid?: string;
  /** And these people. */
  readonly personUuids?: readonly string[];
  /** Leaves out memberships of this zone. */
  readonly withoutZoneUuid?: string;
  /** `all`: deactivated memberships count too. */
  readonly memberships: 'active' | 'all';
}

interface HolderRow {
  readonly person_uuid: string;
  readonly role_uuids: string[];
  readonly holder_uuids: string[];
}

/** Everyone of the selection who holds a permission on data, with the roles and other holders that concern data. */
const loadHolders = (
  tx: PrismaTransaction,
  { zoneUuid, personUuids = [], withoutZoneUuid, memberships }: PeopleSelection,
): Promise<HolderRow[]> => tx.$queryRaw<HolderRow[]>`
  WITH data_holder AS (
    SELECT DISTINCT holder_uuid FROM permission WHERE resource ~ '^/?(api/)?(drs|[?]|[*])(/|$)'
  ), membership AS (
    SELECT uuid, person_uuid FROM zone_user
    WHERE (active OR ${memberships === 'all'})
      AND (${withoutZoneUuid ?? null}::uuid IS NULL OR zone_uuid <> ${withoutZoneUuid ?? null}::uuid)
      AND (person_uuid = ANY (${[...personUuids]}::uuid[])
           OR person_uuid IN (SELECT person_uuid FROM zone_user WHERE zone_uuid = ${zoneUuid ?? null}::uuid))
  ), held AS (
    SELECT person_uuid, uuid AS holder_uuid, false AS is_role FROM membership
    UNION SELECT person_uuid, role_uuid, true FROM membership JOIN role_member ON zone_user_uuid = uuid
    UNION SELECT person_uuid, group_uuid, false FROM membership JOIN user_group_member ON zone_user_uuid = uuid
    UNION SELECT person_uuid, role_uuid, true FROM membership
      JOIN user_group_member ON zone_user_uuid = uuid JOIN user_group_role USING (group_uuid)
  )
  SELECT person_uuid::text AS person_uuid,
    coalesce(array_agg(holder_uuid::text ORDER BY holder_uuid) FILTER (WHERE is_role), '{}') AS role_uuids,
    array_agg(holder_uuid::text ORDER BY holder_uuid) AS holder_uuids
  FROM held
  WHERE holder_uuid IN (SELECT holder_uuid FROM data_holder)
    OR (is_role AND EXISTS (SELECT 1 FROM data_access_rule WHERE role_uuid = holder_uuid))
  GROUP BY person_uuid
  HAVING bool_or(holder_uuid IN (SELECT holder_uuid FROM data_holder))`;

/**
 * The data that roles and permissions allow. The rules of a role also limit permissions of other holders. A role without
 * rules adds the data that its own permissions allow.
 */
const dataOf = (
  roleUuids: readonly string[],
  ruled: Awaited<ReturnType<typeof loadRulesOfRoles>>,
  grants: readonly HeldGrant[],
): RuleLists => {
  const permitted = rulesOfPermissions(grants, compileGrants(grants));
  if (!roleUuids.some((uuid) => ruled.has(uuid))) return [permitted];
  return listsOfRoles(roleUuids, ruled, grants).map((rules) => bothAllow(rules, permitted));
};

/** Loads what the selected people may do with data, in five statements for any number of people. */
export const loadDataOfPeople = async (tx: PrismaTransaction, selection: PeopleSelection): Promise<DataOfPeople> => {
  const rows = await loadHolders(tx, selection);
  const holderUuids = [...new Set(rows.flatMap((row) => row.holder_uuids))];
  const roleUuids = [...new Set(rows.flatMap((row) => row.role_uuids))];
  if (holderUuids.length === 0) return new Map();
  const grants = new Map<string, HeldGrant[]>();
  const holders = holderUuids.map((uuid) => ({ uuid, name: '' }));
  for (const grant of await loadGrants(tx, holders)) {
    const { uuid } = grant.source;
    grants.set(uuid, [...(grants.get(uuid) ?? []), grant]);
  }
  const ruled = await loadRulesOfRoles(tx, roleUuids);
  // people with the same holders have the same data
  const known = new Map<string, RuleLists>();
  return new Map(
    rows.map((row) => {
      const key = row.holder_uuids.join(' ');
      const data =
        known.get(key) ??
        dataOf(
          row.role_uuids,
          ruled,
          row.holder_uuids.flatMap((uuid) => grants.get(uuid) ?? []),
        );
      known.set(key, data);
      return [row.person_uuid, data] as const;
    }),
  );
};

/** The data of one person; empty without permissions on data. */
export const loadDataOfPerson = async (tx: PrismaTransaction, personUuid: string): Promise<RuleLists> =>
  (await loadDataOfPeople(tx, { personUuids: [personUuid], memberships: 'active' })).get(personUuid) ?? [];

/** The data that a role shows by its own permissions and rules. */
export const loadDataOfRole = async (tx: PrismaTransaction, roleUuid: string): Promise<RuleLists> =>
  dataOf([roleUuid], await loadRulesOfRoles(tx, [roleUuid]), await loadGrants(tx, [{ uuid: roleUuid, name: '' }]));
