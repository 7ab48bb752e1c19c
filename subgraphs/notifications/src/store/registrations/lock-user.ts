import type { PrismaTransaction } from '@fds/database';

/** Registrations of one user change one after the other. */
export const lockUser = async (tx: PrismaTransaction, userUuid: string): Promise<void> => {
  await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`notifications ${userUuid}`}, 0))`;
};
