import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { lockZone } from '../require-zone.js';
import { keepingDataOf } from './giving/held-data.js';
import type { IdentityTools } from './identity-tools.js';
import { heldManagedRoles, requireStillHeld } from './roles/managed-holders.js';

/**
 * Changes users, groups, roles or permissions of a zone in one transaction, one change of a zone after the other. A change
 * that takes a managed role from its last active holder is refused, and one by which the caller would have more data than
 * rules leave them.
 *
 * @throws AppError NOT_FOUND for the zone, CONFLICT, FORBIDDEN, and what the work throws
 */
export const changeZone = async <T>(
  { database, forgetHolders }: IdentityTools,
  zoneUuid: string,
  principal: Principal,
  work: (tx: PrismaTransaction) => Promise<T>,
): Promise<T> => {
  try {
    const result = await inTransaction(database, async (tx) => {
      await lockZone(tx, zoneUuid);
      const before = await heldManagedRoles(tx, zoneUuid);
      const value = await keepingDataOf(tx, principal, () => work(tx));
      await requireStillHeld(tx, zoneUuid, before);
      return value;
    });
    forgetHolders();
    return result;
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('DUPLICATE_NAME', 'the name was taken meanwhile');
    throw isReferenceViolation(error) ? new AppError('CONFLICT', 'what it names was deleted meanwhile') : error;
  }
};
