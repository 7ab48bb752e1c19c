import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Adaptor } from '../../domain/adaptors/adaptor.js';
import { toAdaptor, withTypeAndCapabilities } from '../../store/adaptors/adaptor-rows.js';

export const adaptorNotFound = (adaptorUuid: string): AppError =>
  new AppError('NOT_FOUND', `there is no adaptor ${adaptorUuid} in the zone`);

/** @throws AppError NOT_FOUND, also when the adaptor is in another zone */
export const requireAdaptor = async (tx: PrismaTransaction, zoneUuid: string, uuid: string): Promise<Adaptor> => {
  const row = await tx.adaptor.findFirst({ where: { uuid, zoneUuid }, include: withTypeAndCapabilities });
  if (row === null) throw adaptorNotFound(uuid);
  return toAdaptor(row);
};
