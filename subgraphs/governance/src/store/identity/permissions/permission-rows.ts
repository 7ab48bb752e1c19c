import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { grantsOfManagedRole, logIdentities, type ManagedRoleName, managedRoleNames } from '@fds/identity';
import type { Grant, GrantedAction } from '@fds/permissions';
import { grantKey, type HolderType, type Permission } from '../../../domain/identity/permission.js';
import type { IdentityTools } from '../identity-tools.js';

interface PermissionRow extends Omit<Permission, 'type' | 'action' | 'holderType'> {
  readonly action: string;
  readonly holderType: string;
}

export const toPermission = ({ action, holderType, ...row }: PermissionRow): Permission => ({
  ...row,
  type: 'ALLOW',
  action: action as GrantedAction,
  holderType: holderType as HolderType,
});

/** Adds permissions to a role, each as a resource. */
export const addToRole = async (
  tx: PrismaTransaction,
  { zoneUuid, roleUuid }: { readonly zoneUuid: string; readonly roleUuid: string },
  grants: readonly Grant[],
  { now, newUuid, principal }: Pick<IdentityTools, 'now' | 'newUuid'> & { readonly principal: Principal },
): Promise<void> => {
  const time = now();
  const rows = await tx.permission.createManyAndReturn({
    data: grants.map(({ action, resource }) => ({
      uuid: newUuid(),
      zoneUuid,
      action,
      resource,
      holderType: 'ROLE',
      holderUuid: roleUuid,
      dateCreated: time,
      lastUpdated: time,
    })),
  });
  await logIdentities(tx, principal, 'POST', 'Permission', rows.map(toPermission));
};

/** Removes the permissions of a removed user, group or role. */
export const removePermissionsOf = async (
  tx: PrismaTransaction,
  holderUuid: string,
  principal: Principal,
): Promise<void> => {
  const rows = await tx.permission.findMany({ where: { holderUuid } });
  await tx.permission.deleteMany({ where: { holderUuid } });
  await logIdentities(tx, principal, 'DELETE', 'Permission', rows.map(toPermission));
};

const isManagedName = (name: string): name is ManagedRoleName =>
  Object.values(managedRoleNames).some((managed) => managed === name);

/**
 * A managed role keeps its standard permissions.
 *
 * @throws AppError CONFLICT when one of the permissions is a standard permission of a managed role
 */
export const requireNotStandard = async (tx: PrismaTransaction, permissions: readonly Permission[]): Promise<void> => {
  const roles = await tx.role.findMany({
    where: { uuid: { in: [...new Set(permissions.map(({ holderUuid }) => holderUuid))] }, managed: true },
    select: { uuid: true, zoneUuid: true, name: true },
  });
  for (const { uuid, zoneUuid, name } of roles) {
    if (!isManagedName(name)) continue;
    const standard = new Set(grantsOfManagedRole(name, zoneUuid).map(grantKey));
    const lost = permissions.filter(
      (permission) => permission.holderUuid === uuid && standard.has(grantKey(permission)),
    );
    if (lost.length === 0) continue;
    throw new AppError('CONFLICT', `${name} is a managed role, whose permissions cannot change`, {
      errors: lost.map(({ action, resource }) => ({
        pointer: '/permissions',
        code: 'MANAGED_ROLE',
        detail: `${name} keeps ${action} ${resource}`,
      })),
    });
  }
};
