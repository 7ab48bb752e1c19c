import type { Principal, ZoneMembership } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { filterText } from '@fds/graphql';
import {
  type SourcedGrant,
  holdersOf,
  loadGrants,
  loadMemberships,
  type MembershipSelection,
  requireUser,
} from '@fds/identity';
import { isUuid } from '@fds/json';
import { compileGrants } from '@fds/access-rules';
import { interfaceFeatures, type InterfaceFeature } from '../../../domain/identity/features.js';
import { grantedActions, type ResourceActions } from '../../../domain/identity/resource-actions.js';
import { grantsOfUser, selectionOf } from '../giving/caller-grants.js';

/** The permissions of a person, with their sources. */
interface PermissionOverview {
  readonly userUuid: string;
  readonly zoneUserUuid: string | null;
  readonly permissions: readonly SourcedGrant[];
  readonly features: readonly InterfaceFeature[];
}

interface ResourcePermissions {
  readonly userUuid: string;
  readonly zoneUserUuid: string | null;
  readonly resources: readonly ResourceActions[];
}

/** Reads the permissions of callers and of other people (docs/reference/access.md#overviews). */
export interface PermissionOverviews {
  /** In all zones. @throws AppError FORBIDDEN for a caller who is not a person */
  ofCaller(principal: Principal): Promise<PermissionOverview>;
  /** In all zones. @param user uuid of the person or of a membership, or SSO id @throws AppError NOT_FOUND */
  ofPerson(user: string): Promise<PermissionOverview>;
  /** Through the zone. @throws AppError NOT_FOUND */
  ofUser(zoneUuid: string, zoneUserUuid: string): Promise<PermissionOverview>;
  /** Through the zone, which replaces `{zoneUuid}`. @throws AppError NOT_FOUND */
  onResources(
    zoneUuid: string,
    zoneUserUuid: string,
    resources: readonly ResourceActions[],
  ): Promise<ResourcePermissions>;
  /** Those of the resources on which the caller has a permission. @throws AppError FORBIDDEN */
  usable(principal: Principal, resources: readonly ResourceActions[]): Promise<readonly ResourceActions[]>;
}

const overview = (
  userUuid: string,
  zoneUserUuid: string | undefined,
  permissions: readonly SourcedGrant[],
): PermissionOverview => ({
  userUuid,
  zoneUserUuid: zoneUserUuid ?? null,
  permissions,
  features: interfaceFeatures(permissions, compileGrants(permissions)),
});

const requirePerson = ({ kind, uuid, username }: Principal) => {
  if (kind === 'PERSON') return { uuid, username };
  throw new AppError('FORBIDDEN', 'only people and service accounts have permissions');
};

const findPerson = async (tx: PrismaTransaction, user: string) => {
  const select = { uuid: true, username: true } as const;
  const ssoId = filterText('user', user) ?? '';
  const found = await tx.person.findUnique({ where: { ssoId }, select });
  if (found !== null || !isUuid(user)) return found;
  return tx.person.findFirst({ where: { OR: [{ uuid: user }, { memberships: { some: { uuid: user } } }] }, select });
};

/** The permissions that a user has through a zone; empty while the user is deactivated there. */
const grantsIn = async (tx: PrismaTransaction, zoneUuid: string, zoneUserUuid: string) => {
  const user = await requireUser(tx, zoneUuid, zoneUserUuid);
  const memberships = await loadMemberships(tx, user.userUuid, 'at-provider');
  const membership = memberships.find((each: ZoneMembership) => each.zoneUserUuid === zoneUserUuid);
  const granted =
    membership === undefined ? [] : await loadGrants(tx, holdersOf(membership, user.username ?? user.uuid));
  return { user, granted };
};

export const createPermissionOverviews = ({ prisma }: Database): PermissionOverviews => {
  const ofAllZones = async (
    person: { readonly uuid: string; readonly username: string },
    selection: MembershipSelection,
  ) => {
    const zones = await loadMemberships(prisma, person.uuid, selection);
    const { zoneUserUuid } = zones.find((zone) => zone.default) ?? zones[0] ?? {};
    return overview(person.uuid, zoneUserUuid, await grantsOfUser(prisma, person, selection));
  };
  return {
    ofCaller: async (principal) => ofAllZones(requirePerson(principal), await selectionOf(prisma, principal)),
    ofPerson: async (user) => {
      const person = await findPerson(prisma, user);
      if (person === null) throw new AppError('NOT_FOUND', `there is no user ${user}`);
      return ofAllZones(person, 'at-provider');
    },
    ofUser: async (zoneUuid, zoneUserUuid) => {
      const { user, granted } = await grantsIn(prisma, zoneUuid, zoneUserUuid);
      return overview(user.userUuid, zoneUserUuid, granted);
    },
    onResources: async (zoneUuid, zoneUserUuid, resources) => {
      const { user, granted } = await grantsIn(prisma, zoneUuid, zoneUserUuid);
      const { permitsSome } = compileGrants(granted);
      return { userUuid: user.userUuid, zoneUserUuid, resources: grantedActions(resources, permitsSome, zoneUuid) };
    },
    usable: async (principal, resources) => {
      const selection = await selectionOf(prisma, principal);
      const { permitsSome } = compileGrants(await grantsOfUser(prisma, requirePerson(principal), selection));
      return grantedActions(resources, permitsSome).filter(({ actions }) => actions.length > 0);
    },
  };
};
