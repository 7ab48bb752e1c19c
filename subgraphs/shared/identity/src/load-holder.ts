import type { Principal, ZoneMembership } from '@fds/auth';
import type { Database, Prisma } from '@fds/database';
import { compileGrants, type Grant, type GrantedAction } from '@fds/permissions';
import { grantsOfAdaptor, grantsOfEveryPerson } from './managed-roles.js';

/** Somebody tokens are issued to, as the tables know them. */
export interface Holder {
  readonly principal: Principal;
  readonly active: boolean;
  /** Tokens issued before this moment are refused; undefined: none are. */
  readonly tokensValidFrom: Date | undefined;
  /** Until this moment they are let through all the same; undefined: not at all. */
  readonly graceUntil?: Date | undefined;
}

const selectMemberships = {
  where: { active: true },
  orderBy: { dateCreated: 'asc' },
  select: {
    uuid: true,
    zoneUuid: true,
    defaultZone: true,
    roles: { select: { role: { select: { uuid: true, name: true } } } },
  },
} as const;

const zoneNamesOf = async (prisma: Prisma, zoneUuids: string[]): Promise<Map<string, string>> => {
  const zones = await prisma.zone.findMany({
    where: { uuid: { in: zoneUuids } },
    select: { uuid: true, name: true },
  });
  return new Map(zones.map((zone) => [zone.uuid, zone.name]));
};

/** Joining a role counts as being granted what it holds. */
const grantsOf = async (prisma: Prisma, memberships: readonly ZoneMembership[]): Promise<Grant[]> => {
  const rows = await prisma.permission.findMany({
    where: {
      OR: [
        { holderType: 'USER', holderUuid: { in: memberships.map((membership) => membership.zoneUserUuid) } },
        {
          holderType: 'ROLE',
          holderUuid: { in: memberships.flatMap((membership) => membership.roles.map((role) => role.uuid)) },
        },
      ],
    },
    select: { action: true, resource: true },
  });
  return rows.map(({ action, resource }) => ({ action: action as GrantedAction, resource }));
};

const loadPerson = async ({ prisma }: Database, uuid: string): Promise<Holder | undefined> => {
  const person = await prisma.person.findUnique({ where: { uuid }, include: { memberships: selectMemberships } });
  if (person === null) return undefined;
  const zoneNames = await zoneNamesOf(
    prisma,
    person.memberships.map((membership) => membership.zoneUuid),
  );
  const zones = person.memberships.map((membership): ZoneMembership => ({
    zoneUuid: membership.zoneUuid,
    zoneName: zoneNames.get(membership.zoneUuid) ?? '',
    zoneUserUuid: membership.uuid,
    default: membership.defaultZone,
    roles: membership.roles.map(({ role }) => role),
    groups: [],
  }));
  const grants = compileGrants([...grantsOfEveryPerson, ...(await grantsOf(prisma, zones))]);
  return {
    principal: {
      kind: 'PERSON',
      uuid,
      username: person.username,
      zones,
      defaultZoneUuid: (zones.find((zone) => zone.default) ?? zones[0])?.zoneUuid,
      permits: (action, path) => grants.permits(action, path),
    },
    active: person.active,
    tokensValidFrom: person.tokensValidFrom,
  };
};

const loadAdaptor = async ({ prisma }: Database, uuid: string): Promise<Holder | undefined> => {
  const adaptor = await prisma.adaptor.findUnique({
    where: { uuid },
    select: {
      name: true,
      zoneUuid: true,
      active: true,
      registration: { select: { tokensValidFrom: true, previousUntil: true } },
    },
  });
  if (adaptor === null) return undefined;
  const grants = compileGrants(grantsOfAdaptor(adaptor.zoneUuid, uuid));
  return {
    principal: {
      kind: 'ADAPTOR',
      uuid,
      username: adaptor.name,
      zones: [],
      defaultZoneUuid: undefined,
      permits: (action, path) => grants.permits(action, path),
    },
    active: adaptor.active,
    tokensValidFrom: adaptor.registration?.tokensValidFrom ?? undefined,
    graceUntil: adaptor.registration?.previousUntil ?? undefined,
  };
};

/** The person or adaptor of the uuid, with compiled grants; undefined when there is neither. */
export const loadHolder = async (database: Database, uuid: string): Promise<Holder | undefined> =>
  (await loadPerson(database, uuid)) ?? (await loadAdaptor(database, uuid));
