import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError, checkChangeVersion, requireNotStale, type FaultList, type GivenChangeVersion } from '@fds/errors';
import { filterText, orderOf, readPage, type Paged, type PageRequest } from '@fds/graphql';
import type { GrantedAction } from '@fds/access-rules';
import { logIdentity } from '@fds/identity';
import {
  grantKey,
  normalResource,
  readPermission,
  type HolderType,
  type Permission,
  type PermissionInput,
  type PermissionSettings,
} from '../../../domain/identity/permission.js';
import { requireGranted } from '../giving/caller-grants.js';
import type { GivenGrant } from '../giving/given-grant.js';
import { changeZone } from '../change-zone.js';
import type { IdentityTools } from '../identity-tools.js';
import { readKnownUuids } from '../known-uuids.js';
import { toPermission } from '../../../store/identity/permissions/permission-rows.js';
import { requireNotStandard } from './require-not-standard.js';
import { readableZones } from '../readable-zones.js';

/** A permission as a grant that the caller gives to its holder. */
const givenBy = (settings: PermissionSettings): GivenGrant => ({
  pointer: '/resource',
  grant: { ...settings, source: { type: settings.holderType, uuid: settings.holderUuid, name: '' } },
});

export interface PermissionKey {
  readonly zoneUuid: string;
  readonly permissionUuid: string;
}

export interface PermissionFilter {
  readonly action?: GrantedAction | null;
  /** With or without the prefix `/api`. */
  readonly resource?: string | null;
  readonly holderType?: HolderType | null;
  readonly holderUuid?: string | null;
  readonly sort?: string | null;
}

/** Permissions as resources of the zone whose user, group or role has them. */
export interface PermissionActions {
  /** @throws AppError FORBIDDEN, NOT_FOUND for the zone, INVALID_PARAMETER */
  list(
    zoneUuid: string | null | undefined,
    filter: PermissionFilter,
    page: PageRequest,
    principal: Principal,
  ): Promise<Paged<Permission>>;
  /** @throws AppError NOT_FOUND */
  read(key: PermissionKey): Promise<Permission>;
  /** @throws AppError NOT_FOUND for the zone, CONFLICT for a permission that the holder already has, FORBIDDEN */
  create(zoneUuid: string, input: PermissionInput, principal: Principal, faults: FaultList): Promise<Permission>;
  replace(key: PermissionKey, input: PermissionInput, principal: Principal, faults: FaultList): Promise<Permission>;
  patch(key: PermissionKey, input: PermissionInput, principal: Principal, faults: FaultList): Promise<Permission>;
  /** @throws AppError NOT_FOUND, CONFLICT for a standard permission of a managed role */
  remove(key: PermissionKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

const sortFields = ['resource', 'action', 'holderType', 'dateCreated', 'lastUpdated'];
const kinds = { USER: 'user', GROUP: 'group', ROLE: 'role' } as const;

const requireFound = async (
  tx: PrismaTransaction,
  { zoneUuid, permissionUuid }: PermissionKey,
): Promise<Permission> => {
  const row = await tx.permission.findUnique({ where: { uuid: permissionUuid, zoneUuid } });
  if (row === null) throw new AppError('NOT_FOUND', `there is no permission ${permissionUuid} in the zone`);
  return toPermission(row);
};

const spellings = (resource: string): string[] => [normalResource(resource), `/api${normalResource(resource)}`];

/** @throws AppError CONFLICT when the holder already has it, in either spelling */
const requireNew = async (
  tx: PrismaTransaction,
  { action, resource, holderUuid }: PermissionSettings,
  ownUuid?: string,
): Promise<void> => {
  const others = ownUuid === undefined ? {} : { uuid: { not: ownUuid } };
  const where = { holderUuid, action, resource: { in: spellings(resource) }, ...others };
  const same = await tx.permission.findFirst({ where, select: { uuid: true } });
  if (same !== null) throw new AppError('CONFLICT', `the holder has this permission: ${same.uuid}`);
};

export const createPermissionActions = (tools: IdentityTools): PermissionActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  const readSettings = async (
    tx: PrismaTransaction,
    zoneUuid: string,
    input: PermissionInput,
    faults: FaultList,
  ): Promise<PermissionSettings> => {
    const settings = readPermission(input, faults);
    const { holderType, holderUuid } = input;
    if (holderType && holderUuid) {
      const named = [{ uuid: holderUuid, pointer: '/holderUuid' }];
      await readKnownUuids(tx, kinds[holderType], zoneUuid, named, faults);
    }
    faults.throwIfAny();
    return settings as PermissionSettings;
  };

  const update = (
    key: PermissionKey,
    input: PermissionInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Permission> =>
    changeZone(tools, key.zoneUuid, principal, async (tx) => {
      const current = await requireFound(tx, key);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const settings = await readSettings(
        tx,
        key.zoneUuid,
        action === 'PATCH' ? { ...current, ...input } : input,
        faults,
      );
      await requireNew(tx, settings, key.permissionUuid);
      const isSame = settings.holderUuid === current.holderUuid && grantKey(settings) === grantKey(current);
      if (!isSame) {
        await requireGranted(tx, principal, [givenBy(settings)], tools.endpoints);
        await requireNotStandard(tx, [current]);
      }
      await tx.permission.update({
        where: { uuid: key.permissionUuid },
        data: { ...settings, lastUpdated: now(), changeVersion: { increment: 1 } },
        select: { uuid: true },
      });
      const permission = await requireFound(tx, key);
      await logIdentity(tx, principal, action, 'Permission', permission);
      return permission;
    });

  return {
    list: async (zoneUuid, { action, resource, holderType, holderUuid, sort }, page, principal) => {
      const orderBy = orderOf(sort, sortFields, 'resource');
      const text = filterText('resource', resource);
      const where = {
        zoneUuid: { in: await readableZones(prisma, principal, 'permissions', zoneUuid) },
        ...(action ? { action } : {}),
        ...(text === undefined ? {} : { resource: { in: spellings(text) } }),
        ...(holderType ? { holderType } : {}),
        ...(holderUuid ? { holderUuid } : {}),
      };
      return readPage(
        page,
        () => prisma.permission.count({ where }),
        async (range) => (await prisma.permission.findMany({ where, orderBy, ...range })).map(toPermission),
      );
    },
    read: (key) => requireFound(prisma, key),
    create: (zoneUuid, input, principal, faults) =>
      changeZone(tools, zoneUuid, principal, async (tx) => {
        const settings = await readSettings(tx, zoneUuid, input, faults);
        await requireGranted(tx, principal, [givenBy(settings)], tools.endpoints);
        await requireNew(tx, settings);
        const time = now();
        const row = await tx.permission.create({
          data: { uuid: newUuid(), zoneUuid, ...settings, dateCreated: time, lastUpdated: time },
        });
        const permission = toPermission(row);
        await logIdentity(tx, principal, 'POST', 'Permission', permission);
        return permission;
      }),
    replace: (key, input, principal, faults) => update(key, input, principal, 'PUT', faults),
    patch: (key, input, principal, faults) => update(key, input, principal, 'PATCH', faults),
    remove: (key, changeVersion, principal) =>
      changeZone(tools, key.zoneUuid, principal, async (tx) => {
        const permission = await requireFound(tx, key);
        requireNotStale(changeVersion, permission.changeVersion);
        await requireNotStandard(tx, [permission]);
        await tx.permission.delete({ where: { uuid: key.permissionUuid }, select: { uuid: true } });
        await logIdentity(tx, principal, 'DELETE', 'Permission', permission);
      }),
  };
};
