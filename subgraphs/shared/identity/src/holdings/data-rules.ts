import {
  allowsMore,
  compileDataAccess,
  narrowComparison,
  rulesOfPermissions,
  type AccessRule,
  type DataAccess,
  type DataHolder,
  type DataVersion,
  compileGrants,
  type Action,
} from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import type { SourcedGrant } from './load-grants.js';

/** Rules of roles, a list for each role. */
export type RuleLists = readonly (readonly AccessRule[])[];

const anyOf = <Value>(values: readonly Value[]): readonly Value[] | null => (values.length === 0 ? null : values);

/** The rules of the roles that have any. */
export const loadRulesOfRoles = async (
  tx: PrismaTransaction,
  roleUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly AccessRule[]>> => {
  const rows = await tx.dataAccessRule.findMany({
    where: { roleUuid: { in: [...roleUuids] } },
    orderBy: [{ roleUuid: 'asc' }, { position: 'asc' }],
  });
  const ruled = new Map<string, AccessRule[]>();
  for (const { roleUuid, effect, actions, properties, drUuids, ...selectors } of rows) {
    const rules = ruled.get(roleUuid) ?? [];
    rules.push({
      effect: effect === 'ALLOW' ? 'ALLOW' : 'DENY',
      actions: anyOf(actions as Action[]),
      properties: anyOf(properties),
      drUuids: anyOf(drUuids),
      zoneUuid: selectors.zoneUuid,
      adaptorUuid: selectors.adaptorUuid,
      domainUuid: selectors.domainUuid,
      domainVersionUuid: selectors.domainVersionUuid,
    });
    ruled.set(roleUuid, rules);
  }
  return ruled;
};

/** The roles of one membership, and the grants of all its holders: the user, the groups and the roles. */
export interface MembershipHoldings {
  readonly roleUuids: readonly string[];
  readonly grants: readonly SourcedGrant[];
}

const listsOfMembership = (
  { roleUuids, grants }: MembershipHoldings,
  ruled: ReadonlyMap<string, readonly AccessRule[]>,
): RuleLists => {
  if (!roleUuids.some((uuid) => ruled.has(uuid))) return [rulesOfPermissions(grants, compileGrants(grants))];
  return roleUuids.map((uuid) => {
    const own = grants.filter(({ source }) => source.type === 'ROLE' && source.uuid === uuid);
    return ruled.get(uuid) ?? rulesOfPermissions(own, compileGrants(own));
  });
};

/**
 * The rules of a person's memberships. The rules of a role limit only the membership that has the role: another zone
 * that adds the person takes nothing away. A role without rules allows what its own permissions allow, and a membership
 * without rules allows what its permissions allow.
 *
 * @returns undefined where no role has rules: permissions alone decide
 */
export const listsOfMemberships = (
  memberships: readonly MembershipHoldings[],
  ruled: ReadonlyMap<string, readonly AccessRule[]>,
): RuleLists | undefined =>
  memberships.some(({ roleUuids }) => roleUuids.some((uuid) => ruled.has(uuid)))
    ? memberships.flatMap((membership) => listsOfMembership(membership, ruled))
    : undefined;

const namedIn = (
  lists: RuleLists,
  member: 'zoneUuid' | 'adaptorUuid' | 'domainUuid' | 'domainVersionUuid',
): string[] => [...new Set(lists.flatMap((rules) => rules.flatMap((rule) => rule[member] ?? [])))];

const loadHolders = async (tx: PrismaTransaction, lists: RuleLists): Promise<DataHolder[]> => {
  const uuids = namedIn(lists, 'adaptorUuid');
  if (uuids.length === 0) return [];
  const adaptors = await tx.adaptor.findMany({
    where: { uuid: { in: uuids } },
    select: { uuid: true, zoneUuid: true },
  });
  return adaptors.map(({ uuid, zoneUuid }) => ({ adaptorUuid: uuid, zoneUuid }));
};

const compile = (lists: RuleLists, holders: readonly DataHolder[]): DataAccess =>
  compileDataAccess(lists, new Map(holders.map(({ adaptorUuid, zoneUuid }) => [adaptorUuid, zoneUuid])));

/** Compiles what roles say of data. */
export const compileRuleLists = async (tx: PrismaTransaction, lists: RuleLists): Promise<DataAccess> =>
  compile(lists, await loadHolders(tx, lists));

/** A uuid that no rule names. */
const other = '00000000-0000-0000-0000-000000000000';

/** Domain versions of every kind that the rules can tell apart, with properties that they name and one that they do not. */
const loadVersions = async (tx: PrismaTransaction, lists: RuleLists): Promise<DataVersion[]> => {
  const properties = new Set(
    lists.flatMap((rules) => rules.flatMap((rule) => (rule.properties ?? []).map((name) => name.toLowerCase()))),
  );
  const model = { properties: [...properties, ' other'].map((name) => ({ name })) };
  const domainUuids = namedIn(lists, 'domainUuid');
  const versionUuids = namedIn(lists, 'domainVersionUuid');
  const domains = await tx.domain.findMany({
    where: { OR: [{ uuid: { in: domainUuids } }, { versions: { some: { uuid: { in: versionUuids } } } }] },
    select: { uuid: true, zoneUuid: true, versions: { where: { uuid: { in: versionUuids } }, select: { uuid: true } } },
  });
  return [
    ...[...namedIn(lists, 'zoneUuid'), other].map((zoneUuid) => ({ uuid: other, domainUuid: other, zoneUuid, model })),
    ...domains.flatMap(({ uuid: domainUuid, zoneUuid, versions }) =>
      [...versions.map(({ uuid }) => uuid), domainUuid].map((uuid) => ({ uuid, domainUuid, zoneUuid, model })),
    ),
  ];
};

/** Do some rules allow anything of data that others do not? Where both are empty, nothing is allowed. */
export const rulesAllowMore = async (
  tx: PrismaTransaction,
  wanted: RuleLists,
  granted: RuleLists,
): Promise<boolean> => {
  const { wanted: unknown, granted: known, telling } = narrowComparison(wanted, granted);
  if (unknown.length === 0) return false;
  const holders = await loadHolders(tx, [...unknown, ...known]);
  const named = new Set(namedIn(telling, 'adaptorUuid'));
  const zones = [...namedIn(telling, 'zoneUuid'), other].map((zoneUuid) => ({ adaptorUuid: other, zoneUuid }));
  const kinds = {
    versions: await loadVersions(tx, telling),
    holders: [...holders.filter(({ adaptorUuid }) => named.has(adaptorUuid)), ...zones],
  };
  return allowsMore(compile(unknown, holders), compile(known, holders), kinds);
};
