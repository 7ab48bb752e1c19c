import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';

const zoneNotFound = (zoneUuid: string): AppError => new AppError('NOT_FOUND', `there is no zone ${zoneUuid}`);

/** @throws AppError NOT_FOUND */
export const requireZone = async (tx: Pick<PrismaTransaction, 'zone'>, zoneUuid: string): Promise<void> => {
  if ((await tx.zone.count({ where: { uuid: zoneUuid } })) === 0) throw zoneNotFound(zoneUuid);
};

/**
 * Changes of resources of one zone are serialised.
 *
 * @throws AppError NOT_FOUND
 */
export const lockZone = async (tx: PrismaTransaction, zoneUuid: string): Promise<void> => {
  const rows = await tx.$queryRaw<unknown[]>`SELECT uuid FROM zone WHERE uuid = ${zoneUuid}::uuid FOR NO KEY UPDATE`;
  if (rows.length === 0) throw zoneNotFound(zoneUuid);
};
