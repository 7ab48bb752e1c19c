import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { ChainKey, OperationalAclRow, ZoneAclRow } from '../../store/acls/acl-rows.js';

/** Concurrent changes of the operational chain are serialised, like those of a zone's chains. */
export const lockOperationalChain = async (tx: PrismaTransaction): Promise<void> => {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('operational_acl', 0))`;
};

/** @throws AppError NOT_FOUND */
export const requireZoneAcl = async (
  tx: Pick<PrismaTransaction, 'zoneAcl'>,
  key: ChainKey,
  uuid: string,
): Promise<ZoneAclRow> => {
  const row = await tx.zoneAcl.findFirst({ where: { ...key, uuid } });
  if (row === null) throw new AppError('NOT_FOUND', `there is no entry ${uuid} in the chain`);
  return row;
};

/** @throws AppError NOT_FOUND */
export const requireOperationalAcl = async (
  tx: Pick<PrismaTransaction, 'operationalAcl'>,
  uuid: string,
): Promise<OperationalAclRow> => {
  const row = await tx.operationalAcl.findUnique({ where: { uuid } });
  if (row === null) throw new AppError('NOT_FOUND', `there is no entry ${uuid} in the chain`);
  return row;
};
