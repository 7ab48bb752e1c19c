import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError, checkChangeVersion, requireNotStale, type FaultList, type GivenChangeVersion } from '@fds/errors';
import { filterText, orderOf, readPage, type Paged, type PageRequest } from '@fds/graphql';
import { logIdentities, logIdentity } from '@fds/identity';
import type { User } from '../../../domain/identity/user.js';
import { grantKey, readGrants, type Permission } from '../../../domain/identity/permission.js';
import { readNamed } from '../../../domain/identity/read-named.js';
import type { Role, RoleInput } from '../../../domain/identity/role.js';
import { requireGranted } from '../giving/caller-grants.js';
import { changeZone } from '../change-zone.js';
import type { IdentityTools } from '../identity-tools.js';
import { leaveGroups } from '../../../store/identity/groups/leave-groups.js';
import { requireNotStandard } from '../permissions/require-not-standard.js';
import { addToRole, removePermissionsOf, toPermission } from '../../../store/identity/permissions/permission-rows.js';
import { readableZones } from '../readable-zones.js';
import { removeAllMembers, removeMember, replaceMembers } from '../replace-members.js';
import { requireNameFree } from '../unique-name.js';
import { listUsers } from '../users/user-list.js';

export interface RoleKey {
  readonly zoneUuid: string;
  readonly roleUuid: string;
}

export interface RoleFilter {
  readonly name?: string | null;
  readonly managed?: boolean | null;
  readonly sort?: string | null;
}

/** Roles of the zones, with their permissions. */
export interface RoleActions {
  /** @throws AppError FORBIDDEN, NOT_FOUND for the zone, INVALID_PARAMETER */
  list(
    zoneUuid: string | null | undefined,
    filter: RoleFilter,
    page: PageRequest,
    principal: Principal,
  ): Promise<Paged<Role>>;
  /** @throws AppError NOT_FOUND */
  read(key: RoleKey): Promise<Role>;
  /** @throws AppError NOT_FOUND for the zone, DUPLICATE_NAME, FORBIDDEN for permissions that the caller does not have */
  create(zoneUuid: string, input: RoleInput, principal: Principal, faults: FaultList): Promise<Role>;
  /** @throws AppError CONFLICT for a member that a managed role keeps */
  replace(key: RoleKey, input: RoleInput, principal: Principal, faults: FaultList): Promise<Role>;
  patch(key: RoleKey, input: RoleInput, principal: Principal, faults: FaultList): Promise<Role>;
  /** @throws AppError NOT_FOUND, CONFLICT for a managed role */
  remove(key: RoleKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
  users(key: RoleKey, sort: string | null | undefined, page: PageRequest): Promise<Paged<User>>;
  replaceUsers(
    key: RoleKey,
    zoneUserUuids: readonly string[],
    principal: Principal,
    faults: FaultList,
  ): Promise<Paged<User>>;
  /** @throws AppError NOT_FOUND for a user who does not have the role */
  removeUser(key: RoleKey, zoneUserUuid: string, principal: Principal): Promise<void>;
}

const sortFields = ['name', 'managed', 'dateCreated', 'lastUpdated'];

const managedRole = (name: string, detail: string): AppError =>
  new AppError('CONFLICT', `${name} is a managed role`, {
    errors: [{ pointer: '/name', code: 'MANAGED_ROLE', detail }],
  });

const withPermissions = async (tx: PrismaTransaction, rows: readonly Omit<Role, 'permissions'>[]): Promise<Role[]> => {
  const granted = new Map<string, Permission[]>(rows.map(({ uuid }) => [uuid, []]));
  const permissions = await tx.permission.findMany({
    where: { holderUuid: { in: [...granted.keys()] } },
    orderBy: [{ resource: 'asc' }, { action: 'asc' }],
  });
  for (const row of permissions) granted.get(row.holderUuid)?.push(toPermission(row));
  return rows.map((row) => ({ ...row, permissions: granted.get(row.uuid) ?? [] }));
};

const requireRole = async (tx: PrismaTransaction, { zoneUuid, roleUuid }: RoleKey): Promise<Role> => {
  const row = await tx.role.findUnique({ where: { uuid: roleUuid, zoneUuid } });
  const [role] = row === null ? [] : await withPermissions(tx, [row]);
  if (role === undefined) throw new AppError('NOT_FOUND', `there is no role ${roleUuid} in the zone`);
  return role;
};

/** A role in the change log, without its permissions, which have their own entries. */
const settingsOf = ({ permissions: _permissions, ...role }: Role) => role;

export const createRoleActions = (tools: IdentityTools): RoleActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  /** Replaces the permissions of a role. Permissions that it has already stay. */
  const writePermissions = async (
    tx: PrismaTransaction,
    role: Pick<Role, 'uuid' | 'zoneUuid' | 'permissions'>,
    { permissions }: RoleInput,
    principal: Principal,
    faults: FaultList,
  ): Promise<void> => {
    if (permissions === undefined) return;
    const wanted = readGrants(permissions ?? [], faults);
    const wantedKeys = new Set(wanted.map(grantKey));
    const present = new Set(role.permissions.map(grantKey));
    const added = wanted.filter((grant) => !present.has(grantKey(grant)));
    const dropped = role.permissions.filter((grant) => !wantedKeys.has(grantKey(grant)));
    await requireGranted(
      tx,
      principal,
      added.map((grant) => ({
        pointer: `/permissions/${(permissions ?? []).findIndex((each) => grantKey(each) === grantKey(grant))}`,
        grant: { ...grant, source: { type: 'ROLE', uuid: role.uuid, name: '' } },
      })),
      tools.endpoints,
    );
    await requireNotStandard(tx, dropped);
    await tx.permission.deleteMany({ where: { uuid: { in: dropped.map(({ uuid }) => uuid) } } });
    await logIdentities(tx, principal, 'DELETE', 'Permission', dropped);
    await addToRole(tx, { zoneUuid: role.zoneUuid, roleUuid: role.uuid }, added, { now, newUuid, principal });
  };

  const update = (
    key: RoleKey,
    input: RoleInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Role> =>
    changeZone(tools, key.zoneUuid, principal, async (tx) => {
      const current = await requireRole(tx, key);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const named = readNamed(action === 'PATCH' ? { ...current, ...input } : input, faults);
      readGrants(input.permissions ?? [], faults);
      faults.throwIfAny();
      if (current.managed && named.name !== current.name) throw managedRole(current.name, 'it keeps its name');
      await requireNameFree(tx, 'role', { zoneUuid: key.zoneUuid, name: named.name, uuid: key.roleUuid });
      await writePermissions(tx, current, input, principal, faults);
      await tx.role.update({
        where: { uuid: key.roleUuid },
        data: { ...named, lastUpdated: now(), changeVersion: { increment: 1 } },
        select: { uuid: true },
      });
      const role = await requireRole(tx, key);
      await logIdentity(tx, principal, action, 'Role', settingsOf(role));
      return role;
    });

  return {
    list: async (zoneUuid, { name, managed, sort }, page, principal) => {
      const orderBy = orderOf(sort, sortFields, 'name');
      const text = filterText('name', name);
      const where = {
        zoneUuid: { in: await readableZones(prisma, principal, 'roles', zoneUuid) },
        ...(text === undefined ? {} : { name: text }),
        ...(typeof managed === 'boolean' ? { managed } : {}),
      };
      return readPage(
        page,
        () => prisma.role.count({ where }),
        async (range) => withPermissions(prisma, await prisma.role.findMany({ where, orderBy, ...range })),
      );
    },
    read: (key) => requireRole(prisma, key),
    create: (zoneUuid, input, principal, faults) =>
      changeZone(tools, zoneUuid, principal, async (tx) => {
        const named = readNamed(input, faults);
        readGrants(input.permissions ?? [], faults);
        faults.throwIfAny();
        await requireNameFree(tx, 'role', { zoneUuid, name: named.name });
        const uuid = newUuid();
        const time = now();
        await tx.role.create({
          data: { uuid, zoneUuid, ...named, dateCreated: time, lastUpdated: time },
          select: { uuid: true },
        });
        await writePermissions(tx, { uuid, zoneUuid, permissions: [] }, input, principal, faults);
        const role = await requireRole(tx, { zoneUuid, roleUuid: uuid });
        await logIdentity(tx, principal, 'POST', 'Role', settingsOf(role));
        return role;
      }),
    replace: (key, input, principal, faults) => update(key, input, principal, 'PUT', faults),
    patch: (key, input, principal, faults) => update(key, input, principal, 'PATCH', faults),
    remove: (key, changeVersion, principal) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const role = await requireRole(tx, key);
        requireNotStale(changeVersion, role.changeVersion);
        if (role.managed) throw managedRole(role.name, 'it cannot be deleted');
        await removePermissionsOf(tx, key.roleUuid, principal);
        await removeAllMembers(
          tx,
          { kind: 'role', zoneUuid: key.zoneUuid, uuid: key.roleUuid },
          { principal, now: now() },
        );
        await leaveGroups(tx, key, principal, now());
        await tx.role.delete({ where: { uuid: key.roleUuid }, select: { uuid: true } });
        await logIdentity(tx, principal, 'DELETE', 'Role', settingsOf(role));
      }),
    users: async (key, sort, page) => {
      await requireRole(prisma, key);
      return listUsers(prisma, [key.zoneUuid], { roleUuid: key.roleUuid, ...(sort ? { sort } : {}) }, page);
    },
    replaceUsers: (key, zoneUserUuids, principal, faults) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const role = await requireRole(tx, key);
        const joined = { kind: 'role', zoneUuid: key.zoneUuid, uuid: key.roleUuid } as const;
        const users = await replaceMembers(tx, joined, zoneUserUuids, {
          principal,
          faults,
          now: now(),
          endpoints: tools.endpoints,
        });
        await logIdentity(tx, principal, 'PATCH', 'Role', settingsOf(role));
        return users;
      }),
    removeUser: (key, zoneUserUuid, principal) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const role = await requireRole(tx, key);
        const joined = { kind: 'role', zoneUuid: key.zoneUuid, uuid: key.roleUuid } as const;
        if (!(await removeMember(tx, joined, zoneUserUuid, { principal, now: now() }))) {
          throw new AppError('NOT_FOUND', `${zoneUserUuid} does not hold the role`);
        }
        await logIdentity(tx, principal, 'PATCH', 'Role', settingsOf(role));
      }),
  };
};
