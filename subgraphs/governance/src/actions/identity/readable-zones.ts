import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { requirePermission } from '@fds/graphql';
import { requireZone } from '../require-zone.js';

type Collection = 'users' | 'groups' | 'roles' | 'permissions';

/**
 * The zones of a list: the requested zone, or all zones that the caller may read.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND for the zone
 */
export const readableZones = async (
  tx: PrismaTransaction,
  principal: Principal,
  collection: Collection,
  zoneUuid: string | null | undefined,
): Promise<string[]> => {
  if (zoneUuid !== null && zoneUuid !== undefined) {
    requirePermission(principal, 'GET', `/zones/${zoneUuid}/${collection}`);
    await requireZone(tx, zoneUuid);
    return [zoneUuid];
  }
  const zones = await tx.zone.findMany({ select: { uuid: true } });
  const readable = zones.filter(({ uuid }) => principal.permits('GET', `/zones/${uuid}/${collection}`));
  if (readable.length === 0) requirePermission(principal, 'GET', `/zones/?/${collection}`);
  return readable.map(({ uuid }) => uuid);
};
