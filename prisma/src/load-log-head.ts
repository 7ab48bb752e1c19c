import type { PrismaTransaction } from './open-database.js';

/** The highest position of the change log that a transaction of Prisma sees; 0n when the log is empty (`loadHead` for a session). */
export const loadLogHead = async (tx: PrismaTransaction): Promise<bigint> =>
  (await tx.changeLogEntry.findFirst({ orderBy: { position: 'desc' }, select: { position: true } }))?.position ?? 0n;
