import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { lockZoneRow } from '../../store/zones/zone-rows.js';

export const zoneNotFound = (zoneUuid: string): AppError => new AppError('NOT_FOUND', `there is no zone ${zoneUuid}`);

/** @throws AppError NOT_FOUND */
export const requireZone = async (tx: PrismaTransaction, uuid: string): Promise<void> => {
  if ((await tx.zone.count({ where: { uuid } })) === 0) throw zoneNotFound(uuid);
};

/** Locks the zone's row until the transaction ends. @throws AppError NOT_FOUND */
export const lockZone = async (tx: PrismaTransaction, uuid: string): Promise<void> => {
  if (!(await lockZoneRow(tx, uuid))) throw zoneNotFound(uuid);
};
