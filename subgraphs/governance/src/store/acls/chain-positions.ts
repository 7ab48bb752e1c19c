import type { PrismaTransaction } from '@fds/database';

type Where = Parameters<PrismaTransaction['zoneAcl']['updateMany']>[0]['where'];
type OperationalWhere = Parameters<PrismaTransaction['operationalAcl']['updateMany']>[0]['where'];

/** Entries from one position to before another go forward or back by some places. */
export interface PositionShift {
  readonly gte: number;
  /** Default: to the end. */
  readonly lt?: number;
  readonly by: number;
}

/** Makes room for an entry that is moved within its chain. */
export const moveShift = (from: number, to: number): PositionShift | undefined => {
  if (from === to) return undefined;
  return from < to ? { gte: from + 1, lt: to + 1, by: -1 } : { gte: to, lt: from, by: 1 };
};

const rangeOf = ({ gte, lt }: PositionShift) => ({ position: lt === undefined ? { gte } : { gte, lt } });

/** The chain is locked. */
export const shiftZoneAcls = async (tx: PrismaTransaction, key: Where, shift: PositionShift): Promise<void> => {
  await tx.zoneAcl.updateMany({
    where: { ...key, ...rangeOf(shift) },
    data: { position: { increment: shift.by } },
  });
};

/** The chain is locked. */
export const shiftOperationalAcls = async (tx: PrismaTransaction, shift: PositionShift): Promise<void> => {
  const where: OperationalWhere = rangeOf(shift);
  await tx.operationalAcl.updateMany({ where, data: { position: { increment: shift.by } } });
};
