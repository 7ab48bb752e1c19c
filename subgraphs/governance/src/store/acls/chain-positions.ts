import type { PrismaTransaction } from '@fds/database';
import { placesOf, type PositionShift } from '../../domain/ordering/move-shift.js';

type Where = Parameters<PrismaTransaction['zoneAcl']['updateMany']>[0]['where'];
type OperationalWhere = Parameters<PrismaTransaction['operationalAcl']['updateMany']>[0]['where'];

/** The caller must have locked the chain. */
export const shiftZoneAcls = async (tx: PrismaTransaction, key: Where, shift: PositionShift): Promise<void> => {
  await tx.zoneAcl.updateMany({
    where: { ...key, ...placesOf(shift) },
    data: { position: { increment: shift.by } },
  });
};

/** The caller must have locked the chain. */
export const shiftOperationalAcls = async (tx: PrismaTransaction, shift: PositionShift): Promise<void> => {
  const where: OperationalWhere = placesOf(shift);
  await tx.operationalAcl.updateMany({ where, data: { position: { increment: shift.by } } });
};
