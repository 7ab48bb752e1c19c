import type { ZoneMembership } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import type { GrantHolder } from './load-grants.js';

const named = { select: { uuid: true, name: true } } as const;

const zoneNamesOf = async (tx: PrismaTransaction, uuids: readonly string[]): Promise<Map<string, string>> => {
  const zones = await tx.zone.findMany({ where: { uuid: { in: [...uuids] } }, ...named });
  return new Map(zones.map(({ uuid, name }) => [uuid, name]));
};

const distinct = (holders: readonly GrantHolder[]): GrantHolder[] => [
  ...new Map(holders.map((holder) => [holder.uuid, holder])).values(),
];

/**
 * - `always`: active, and valid however the person signs in.
 * - `at-provider`: active, and valid for a sign-in at the external provider (ADR 42).
 * - `all`: deactivated ones too, whose roles come back with them.
 */
export type MembershipSelection = 'always' | 'at-provider' | 'all';

const conditionOf = (which: MembershipSelection) => ({
  ...(which === 'all' ? {} : { active: true }),
  ...(which === 'always' ? { providerOnly: false } : {}),
});

/** The memberships of a person, the oldest first. Their roles are those of the person and those of the person's groups. */
export const loadMemberships = async (
  tx: PrismaTransaction,
  personUuid: string,
  which: MembershipSelection = 'always',
): Promise<ZoneMembership[]> => {
  const memberships = await tx.zoneUser.findMany({
    where: { personUuid, ...conditionOf(which) },
    orderBy: [{ dateCreated: 'asc' }, { uuid: 'asc' }],
    select: {
      uuid: true,
      zoneUuid: true,
      defaultZone: true,
      knowsPerson: true,
      roles: { select: { role: named } },
      groups: {
        select: { group: { select: { uuid: true, name: true, roles: { select: { role: named } } } } },
      },
    },
  });
  const zoneNames = await zoneNamesOf(
    tx,
    memberships.map(({ zoneUuid }) => zoneUuid),
  );
  return memberships.map(({ uuid, zoneUuid, defaultZone, knowsPerson, roles, groups }) => ({
    zoneUuid,
    zoneName: zoneNames.get(zoneUuid) ?? '',
    zoneUserUuid: uuid,
    default: defaultZone,
    knowsPerson,
    roles: distinct([...roles, ...groups.flatMap(({ group }) => group.roles)].map(({ role }) => role)),
    groups: groups.map(({ group: { uuid: groupUuid, name } }) => ({ uuid: groupUuid, name })),
  }));
};

/** The sources of a member's permissions: the member, the groups and the roles. */
export const holdersOf = (
  { zoneUserUuid, roles, groups }: ZoneMembership,
  username: string,
): readonly GrantHolder[] => [{ uuid: zoneUserUuid, name: username }, ...groups, ...roles];
