import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { grantsOfManagedRole, type ManagedRoleName, managedRoleNames } from '@fds/identity';
import { grantKey, type Permission } from '../../../domain/identity/permission.js';

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
