import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError, checkChangeVersion, requireNotStale, type FaultList, type GivenChangeVersion } from '@fds/errors';
import { filterText, orderOf, readPage, type Paged, type PageRequest } from '@fds/graphql';
import { logIdentity } from '@fds/identity';
import type { User } from '../../../domain/identity/user.js';
import type { Group, GroupInput } from '../../../domain/identity/group.js';
import { readNamed } from '../../../domain/identity/read-named.js';
import { requireGranted } from '../giving/caller-grants.js';
import { changeZone } from '../change-zone.js';
import { grantsByJoining } from '../giving/given-grants.js';
import type { IdentityTools } from '../identity-tools.js';
import { listedAt, readKnownUuids } from '../known-uuids.js';
import { removePermissionsOf } from '../../../store/identity/permissions/permission-rows.js';
import { groupRow, toGroup } from '../../../store/identity/groups/group-rows.js';
import { readableZones } from '../readable-zones.js';
import { removeAllMembers, removeMember, replaceMembers } from '../replace-members.js';
import { requireNameFree } from '../unique-name.js';
import { listUsers } from '../users/user-list.js';

export interface GroupKey {
  readonly zoneUuid: string;
  readonly groupUuid: string;
}

export interface GroupFilter {
  readonly name?: string | null;
  readonly roleUuid?: string | null;
  readonly zoneUserUuid?: string | null;
  readonly sort?: string | null;
}

/** Groups of the zones' users. */
export interface GroupActions {
  /** @throws AppError FORBIDDEN, NOT_FOUND for the zone, INVALID_PARAMETER */
  list(
    zoneUuid: string | null | undefined,
    filter: GroupFilter,
    page: PageRequest,
    principal: Principal,
  ): Promise<Paged<Group>>;
  /** @throws AppError NOT_FOUND */
  read(key: GroupKey): Promise<Group>;
  /**
   * @throws AppError NOT_FOUND for the zone, DUPLICATE_NAME, FORBIDDEN for roles with more permissions than the caller
   * has
   */
  create(zoneUuid: string, input: GroupInput, principal: Principal, faults: FaultList): Promise<Group>;
  replace(key: GroupKey, input: GroupInput, principal: Principal, faults: FaultList): Promise<Group>;
  patch(key: GroupKey, input: GroupInput, principal: Principal, faults: FaultList): Promise<Group>;
  /** @throws AppError NOT_FOUND, CONFLICT when a managed role would lose its last holder */
  remove(key: GroupKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
  users(key: GroupKey, sort: string | null | undefined, page: PageRequest): Promise<Paged<User>>;
  replaceUsers(
    key: GroupKey,
    zoneUserUuids: readonly string[],
    principal: Principal,
    faults: FaultList,
  ): Promise<Paged<User>>;
  /** @throws AppError NOT_FOUND for a user who is not a member */
  removeUser(key: GroupKey, zoneUserUuid: string, principal: Principal): Promise<void>;
}

/** @throws AppError NOT_FOUND when the zone has no such group */
const requireGroup = async (tx: PrismaTransaction, { zoneUuid, groupUuid }: GroupKey): Promise<Group> => {
  const row = await tx.userGroup.findUnique({ where: { uuid: groupUuid, zoneUuid }, include: groupRow });
  if (row === null) throw new AppError('NOT_FOUND', `there is no group ${groupUuid} in the zone`);
  return toGroup(row);
};

const sortFields = ['name', 'dateCreated', 'lastUpdated'];
export const createGroupActions = (tools: IdentityTools): GroupActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  /** Checks and writes the roles of a group. Its members get the new ones. */
  const readRoles = async (tx: PrismaTransaction, zoneUuid: string, { roleUuids }: GroupInput, faults: FaultList) =>
    roleUuids === undefined
      ? undefined
      : readKnownUuids(tx, 'role', zoneUuid, listedAt('/roleUuids', roleUuids), faults);

  const writeRoles = async (
    tx: PrismaTransaction,
    groupUuid: string,
    wanted: Awaited<ReturnType<typeof readRoles>>,
    present: readonly string[],
    principal: Principal,
  ): Promise<void> => {
    if (wanted === undefined) return;
    const added = wanted.filter(({ uuid }) => !present.includes(uuid));
    await requireGranted(tx, principal, await grantsByJoining(tx, { roles: added, groups: [] }), tools.endpoints);
    await tx.groupRole.deleteMany({ where: { groupUuid } });
    await tx.groupRole.createMany({ data: wanted.map(({ uuid: roleUuid }) => ({ groupUuid, roleUuid })) });
  };

  const update = (
    key: GroupKey,
    input: GroupInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Group> =>
    changeZone(tools, key.zoneUuid, principal, async (tx) => {
      const current = await requireGroup(tx, key);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const named = readNamed(action === 'PATCH' ? { ...current, ...input } : input, faults);
      const wanted = await readRoles(tx, key.zoneUuid, input, faults);
      faults.throwIfAny();
      await requireNameFree(tx, 'group', { zoneUuid: key.zoneUuid, name: named.name, uuid: key.groupUuid });
      await writeRoles(tx, key.groupUuid, wanted, current.roleUuids, principal);
      await tx.userGroup.update({
        where: { uuid: key.groupUuid },
        data: { ...named, lastUpdated: now(), changeVersion: { increment: 1 } },
        select: { uuid: true },
      });
      const group = await requireGroup(tx, key);
      await logIdentity(tx, principal, action, 'Group', group);
      return group;
    });

  return {
    list: async (zoneUuid, { name, roleUuid, zoneUserUuid, sort }, page, principal) => {
      const orderBy = orderOf(sort, sortFields, 'name');
      const text = filterText('name', name);
      const where = {
        zoneUuid: { in: await readableZones(prisma, principal, 'groups', zoneUuid) },
        ...(text === undefined ? {} : { name: text }),
        ...(roleUuid ? { roles: { some: { roleUuid } } } : {}),
        ...(zoneUserUuid ? { members: { some: { zoneUserUuid } } } : {}),
      };
      return readPage(
        page,
        () => prisma.userGroup.count({ where }),
        async (range) =>
          (await prisma.userGroup.findMany({ where, orderBy, include: groupRow, ...range })).map(toGroup),
      );
    },
    read: (key) => requireGroup(prisma, key),
    create: (zoneUuid, input, principal, faults) =>
      changeZone(tools, zoneUuid, principal, async (tx) => {
        const named = readNamed(input, faults);
        const wanted = await readRoles(tx, zoneUuid, input, faults);
        faults.throwIfAny();
        await requireNameFree(tx, 'group', { zoneUuid, name: named.name });
        const uuid = newUuid();
        const time = now();
        await tx.userGroup.create({
          data: { uuid, zoneUuid, ...named, dateCreated: time, lastUpdated: time },
          select: { uuid: true },
        });
        await writeRoles(tx, uuid, wanted, [], principal);
        const group = await requireGroup(tx, { zoneUuid, groupUuid: uuid });
        await logIdentity(tx, principal, 'POST', 'Group', group);
        return group;
      }),
    replace: (key, input, principal, faults) => update(key, input, principal, 'PUT', faults),
    patch: (key, input, principal, faults) => update(key, input, principal, 'PATCH', faults),
    remove: (key, changeVersion, principal) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const group = await requireGroup(tx, key);
        requireNotStale(changeVersion, group.changeVersion);
        await removePermissionsOf(tx, key.groupUuid, principal);
        await removeAllMembers(
          tx,
          { kind: 'group', zoneUuid: key.zoneUuid, uuid: key.groupUuid },
          { principal, now: now() },
        );
        await tx.userGroup.delete({ where: { uuid: key.groupUuid }, select: { uuid: true } });
        await logIdentity(tx, principal, 'DELETE', 'Group', group);
      }),
    users: async (key, sort, page) => {
      await requireGroup(prisma, key);
      return listUsers(prisma, [key.zoneUuid], { groupUuid: key.groupUuid, ...(sort ? { sort } : {}) }, page);
    },
    replaceUsers: (key, zoneUserUuids, principal, faults) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const group = await requireGroup(tx, key);
        const joined = { kind: 'group', zoneUuid: key.zoneUuid, uuid: key.groupUuid } as const;
        const users = await replaceMembers(tx, joined, zoneUserUuids, {
          principal,
          faults,
          now: now(),
          endpoints: tools.endpoints,
        });
        await logIdentity(tx, principal, 'PATCH', 'Group', group);
        return users;
      }),
    removeUser: (key, zoneUserUuid, principal) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const group = await requireGroup(tx, key);
        const joined = { kind: 'group', zoneUuid: key.zoneUuid, uuid: key.groupUuid } as const;
        if (!(await removeMember(tx, joined, zoneUserUuid, { principal, now: now() }))) {
          throw new AppError('NOT_FOUND', `${zoneUserUuid} is not a member of the group`);
        }
        await logIdentity(tx, principal, 'PATCH', 'Group', group);
      }),
  };
};
