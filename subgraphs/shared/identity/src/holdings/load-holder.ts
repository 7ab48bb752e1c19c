import { createHash } from 'node:crypto';
import type { Principal, ZoneMembership } from '@fds/auth';
import type { Database, Prisma, PrismaTransaction } from '@fds/database';
import { compileGrants, type Grant, allowsAllData } from '@fds/access-rules';
import { compileRuleLists, type RuleLists, listsOfMemberships, loadRulesOfRoles } from './data-rules.js';
import { loadGrants, type SourcedGrant } from './load-grants.js';
import { holdersOf, loadMemberships } from './load-memberships.js';
import { grantsOfAdaptor, grantsOfPerson } from '../managed-roles.js';

/**
 * The rules of a person's memberships.
 *
 * @param granted grants of the memberships, at least
 * @returns undefined where no role has rules, or a membership or role allows everything: permissions alone decide
 */
const loadRuleLists = async (
  tx: PrismaTransaction,
  zones: readonly ZoneMembership[],
  granted: readonly SourcedGrant[],
): Promise<RuleLists | undefined> => {
  const memberships = zones.map((zone) => {
    const holders = new Set(holdersOf(zone, '').map(({ uuid }) => uuid));
    return {
      roleUuids: zone.roles.map(({ uuid }) => uuid),
      grants: granted.filter(({ source }) => holders.has(source.uuid)),
    };
  });
  const roleUuids = memberships.flatMap((membership) => membership.roleUuids);
  if (roleUuids.length === 0) return undefined;
  const lists = listsOfMemberships(memberships, await loadRulesOfRoles(tx, roleUuids));
  // an ALLOW of any list is enough: statements for callers without rules serve them too
  return lists?.some(allowsAllData) === true ? undefined : lists;
};

/** A holder of tokens, as the tables contain it. */
export interface Holder {
  /** With one of our tokens. */
  readonly principal: Principal;
  /** With a token of the external provider. */
  readonly principalAtProvider: Principal;
  readonly active: boolean;
  /** Our tokens of another epoch are refused. */
  readonly tokenEpoch: number;
  /** Tokens of an external issuer that are older are refused. */
  readonly tokensValidFrom?: Date | undefined;
}

/**
 * A person whose memberships are all deactivated is deactivated; a person without a membership is active and has the
 * permissions of every person.
 */
const isActive = async (prisma: Prisma, uuid: string, zones: readonly ZoneMembership[]): Promise<boolean> =>
  zones.length > 0 || (await prisma.zoneUser.count({ where: { personUuid: uuid } })) === 0;

const rightsOf = (grants: readonly Grant[], rules: RuleLists | undefined): string => {
  const permissions = grants.map(({ action, resource }) => `${action} ${resource}`).sort();
  return createHash('sha256')
    .update(JSON.stringify([permissions, rules]))
    .digest('base64url')
    .slice(0, 22);
};

const loadPrincipal = async (
  prisma: Prisma,
  { uuid, username }: { readonly uuid: string; readonly username: string },
  zones: readonly ZoneMembership[],
): Promise<Principal> => {
  const granted = await loadGrants(
    prisma,
    zones.flatMap((zone) => holdersOf(zone, username)),
  );
  const held = [...grantsOfPerson(uuid), ...granted];
  const grants = compileGrants(held);
  const rules = await loadRuleLists(prisma, zones, granted);
  return {
    kind: 'PERSON',
    uuid,
    username,
    zones,
    defaultZoneUuid: (zones.find((zone) => zone.default) ?? zones[0])?.zoneUuid,
    permits: (action, path) => grants.permits(action, path),
    ...(rules === undefined ? {} : { dataAccess: await compileRuleLists(prisma, rules) }),
    rights: rightsOf(held, rules),
  };
};

const loadPerson = async ({ prisma }: Database, uuid: string): Promise<Holder | undefined> => {
  const person = await prisma.person.findUnique({ where: { uuid } });
  if (person === null) return undefined;
  const { tokenEpoch, tokensValidFrom } = person;
  const allZones = await loadMemberships(prisma, uuid, 'at-provider');
  const principalAtProvider = await loadPrincipal(prisma, person, allZones);
  const zones = await loadMemberships(prisma, uuid);
  const isSame = zones.length === allZones.length;
  return {
    principal: isSame ? principalAtProvider : await loadPrincipal(prisma, person, zones),
    principalAtProvider,
    active: person.active && (await isActive(prisma, uuid, allZones)),
    tokenEpoch,
    tokensValidFrom,
  };
};

const loadAdaptor = async ({ prisma }: Database, uuid: string): Promise<Holder | undefined> => {
  const adaptor = await prisma.adaptor.findUnique({
    where: { uuid },
    select: {
      name: true,
      zoneUuid: true,
      active: true,
      registration: { select: { tokenEpoch: true } },
    },
  });
  if (adaptor === null) return undefined;
  const grants = compileGrants(grantsOfAdaptor(adaptor.zoneUuid, uuid));
  const principal: Principal = {
    kind: 'ADAPTOR',
    uuid,
    username: adaptor.name,
    zones: [],
    defaultZoneUuid: undefined,
    permits: (action, path) => grants.permits(action, path),
  };
  return {
    principal,
    principalAtProvider: principal,
    active: adaptor.active,
    tokenEpoch: adaptor.registration?.tokenEpoch ?? 0,
  };
};

/** The person or adaptor of the uuid, with compiled grants; undefined when there is neither. */
export const loadHolder = async (database: Database, uuid: string): Promise<Holder | undefined> =>
  (await loadPerson(database, uuid)) ?? (await loadAdaptor(database, uuid));
