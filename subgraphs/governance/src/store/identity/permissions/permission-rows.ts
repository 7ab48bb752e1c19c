import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { logIdentities } from '@fds/identity';
import type { Grant, GrantedAction } from '@fds/access-rules';
import type { HolderType, Permission } from '../../../domain/identity/permission.js';

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
  {
    now,
    newUuid,
    principal,
  }: { readonly now: () => Date; readonly newUuid: () => string; readonly principal: Principal },
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
