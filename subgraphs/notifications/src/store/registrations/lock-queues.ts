import type { PrismaTransaction } from '@fds/database';

/** `lockReceivers` for a Prisma transaction. Call it before registrations are changed or deleted. */
export const lockQueues = async (tx: PrismaTransaction, registrationUuids: readonly string[]): Promise<void> => {
  await tx.$queryRaw`
    SELECT 1 FROM notification_receiver WHERE registration_uuid = ANY (${[...registrationUuids]}::uuid[])
    ORDER BY registration_uuid FOR UPDATE`;
};
