import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { showNoMore } from '@fds/identity';
import { lockZone } from '../require-zone.js';
import type { IdentityTools } from './identity-tools.js';
import { assignedManagedRoles, requireStillAssigned } from './roles/managed-holders.js';

/**
 * Changes users, groups, roles or permissions of a zone in one transaction. Changes of a zone are serialised. A change
 * that removes a managed role from its last active holder is refused. A change that gives access to data which the
 * caller may not see is refused too, see `showNoMore`.
 *
 * @param roleUuid the role whose data access rules the work changes
 * @throws AppError NOT_FOUND for the zone, CONFLICT, FORBIDDEN, and every error of the work
 */
export const changeZone = async <T>(
  { database, forgetHolders }: IdentityTools,
  zoneUuid: string,
  principal: Principal,
  work: (tx: PrismaTransaction) => Promise<T>,
  roleUuid?: string,
): Promise<T> => {
  try {
    const result = await inTransaction(database, async (tx) => {
      await lockZone(tx, zoneUuid);
      const before = await assignedManagedRoles(tx, zoneUuid);
      const change = { actorUuid: principal.uuid, zoneUuid, ...(roleUuid === undefined ? {} : { roleUuid }) };
      const value = await showNoMore(tx, change, () => work(tx));
      await requireStillAssigned(tx, zoneUuid, before);
      return value;
    });
    forgetHolders();
    return result;
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('DUPLICATE_NAME', 'another request took the name');
    throw isReferenceViolation(error)
      ? new AppError('CONFLICT', 'another request deleted a resource that the body names')
      : error;
  }
};
