import type { PrismaTransaction } from '@fds/database';

/** Locks the registrations of one user, whose changes are serialised. */
export const lockUser = async (tx: PrismaTransaction, userUuid: string): Promise<void> => {
  await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`notifications ${userUuid}`}, 0))`;
};
