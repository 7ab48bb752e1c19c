import { bothAllow, rulesOfPermissions, compileGrants } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { listsOfMemberships, loadRulesOfRoles, type MembershipHoldings, type RuleLists } from './data-rules.js';
import { loadGrants, type SourcedGrant } from './load-grants.js';

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
  /** `all`: deactivated memberships count too. `always`: see `MembershipSelection`. */
  readonly memberships: 'active' | 'all' | 'always';
}

/** One membership of a person, with the roles and other holders that concern data. */
interface MembershipRow {
  readonly person_uuid: string;
  readonly role_uuids: string[];
  readonly holder_uuids: string[];
}

/** The memberships of everyone of the selection who holds a permission on data by any of them. */
const loadDataMemberships = (
  tx: PrismaTransaction,
  { zoneUuid, personUuids = [], withoutZoneUuid, memberships }: PeopleSelection,
): Promise<MembershipRow[]> => tx.$queryRaw<MembershipRow[]>`
  WITH data_holder AS (
    SELECT DISTINCT holder_uuid FROM permission WHERE resource ~ '^/?(api/)?(drs|[?]|[*])(/|$)'
  ), membership AS (
    SELECT uuid, person_uuid FROM zone_user
    WHERE (active OR ${memberships === 'all'}) AND NOT (provider_only AND ${memberships === 'always'})
      AND (${withoutZoneUuid ?? null}::uuid IS NULL OR zone_uuid <> ${withoutZoneUuid ?? null}::uuid)
      AND (person_uuid = ANY (${[...personUuids]}::uuid[])
           OR person_uuid IN (SELECT person_uuid FROM zone_user WHERE zone_uuid = ${zoneUuid ?? null}::uuid))
  ), granted AS (
    SELECT person_uuid, uuid, uuid AS holder_uuid, false AS is_role FROM membership
    UNION SELECT person_uuid, uuid, role_uuid, true FROM membership JOIN role_member ON zone_user_uuid = uuid
    UNION SELECT person_uuid, uuid, group_uuid, false FROM membership JOIN user_group_member ON zone_user_uuid = uuid
    UNION SELECT person_uuid, uuid, role_uuid, true FROM membership
      JOIN user_group_member ON zone_user_uuid = uuid JOIN user_group_role USING (group_uuid)
  ), found AS (
    SELECT person_uuid, uuid,
      coalesce(array_agg(holder_uuid::text ORDER BY holder_uuid) FILTER (WHERE is_role), '{}') AS role_uuids,
      array_agg(holder_uuid::text ORDER BY holder_uuid) AS holder_uuids,
      bool_or(holder_uuid IN (SELECT holder_uuid FROM data_holder)) AS has_data
    FROM granted
    WHERE holder_uuid IN (SELECT holder_uuid FROM data_holder)
      OR (is_role AND EXISTS (SELECT 1 FROM data_access_rule WHERE role_uuid = holder_uuid))
    GROUP BY person_uuid, uuid
  )
  SELECT person_uuid::text AS person_uuid, role_uuids, holder_uuids FROM found
  WHERE person_uuid IN (SELECT person_uuid FROM found WHERE has_data)
  ORDER BY person_uuid, uuid`;

/** The data that permissions and rules together allow. */
const dataOf = (
  memberships: readonly MembershipHoldings[],
  ruled: Awaited<ReturnType<typeof loadRulesOfRoles>>,
): RuleLists => {
  const grants = memberships.flatMap((membership) => membership.grants);
  const permitted = rulesOfPermissions(grants, compileGrants(grants));
  return listsOfMemberships(memberships, ruled)?.map((rules) => bothAllow(rules, permitted)) ?? [permitted];
};

const groupByPerson = (rows: readonly MembershipRow[]): ReadonlyMap<string, readonly MembershipRow[]> => {
  const people = new Map<string, MembershipRow[]>();
  for (const row of rows) people.set(row.person_uuid, [...(people.get(row.person_uuid) ?? []), row]);
  return people;
};

/** Loads what the selected people may do with data, in five statements for any number of people. */
export const loadDataOfPeople = async (tx: PrismaTransaction, selection: PeopleSelection): Promise<DataOfPeople> => {
  const rows = await loadDataMemberships(tx, selection);
  const holderUuids = [...new Set(rows.flatMap((row) => row.holder_uuids))];
  const roleUuids = [...new Set(rows.flatMap((row) => row.role_uuids))];
  if (holderUuids.length === 0) return new Map();
  const grants = new Map<string, SourcedGrant[]>();
  const holders = holderUuids.map((uuid) => ({ uuid, name: '' }));
  for (const grant of await loadGrants(tx, holders)) {
    const { uuid } = grant.source;
    grants.set(uuid, [...(grants.get(uuid) ?? []), grant]);
  }
  const ruled = await loadRulesOfRoles(tx, roleUuids);
  const holdingsOf = ({ role_uuids, holder_uuids }: MembershipRow): MembershipHoldings => ({
    roleUuids: role_uuids,
    grants: holder_uuids.flatMap((uuid) => grants.get(uuid) ?? []),
  });
  // people with the same holders have the same data
  const known = new Map<string, RuleLists>();
  return new Map(
    [...groupByPerson(rows)].map(([personUuid, memberships]) => {
      const key = memberships.map((row) => row.holder_uuids.join(' ')).join('; ');
      const data = known.get(key) ?? dataOf(memberships.map(holdingsOf), ruled);
      known.set(key, data);
      return [personUuid, data] as const;
    }),
  );
};

/** The data of one person, however the person signs in; empty without permissions on data. */
export const loadDataOfPerson = async (tx: PrismaTransaction, personUuid: string): Promise<RuleLists> =>
  (await loadDataOfPeople(tx, { personUuids: [personUuid], memberships: 'always' })).get(personUuid) ?? [];

/** The data that a role shows by its own permissions and rules. */
export const loadDataOfRole = async (tx: PrismaTransaction, roleUuid: string): Promise<RuleLists> => {
  const grants = await loadGrants(tx, [{ uuid: roleUuid, name: '' }]);
  return dataOf([{ roleUuids: [roleUuid], grants }], await loadRulesOfRoles(tx, [roleUuid]));
};
