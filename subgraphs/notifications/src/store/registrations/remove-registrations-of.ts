import { logChangeList, type PrismaTransaction } from '@fds/database';
import { toLoggedRegistration } from './log-registration.js';
import { lockQueues } from './lock-queues.js';
import { lockUser } from './lock-user.js';
import { toShown } from './registration-rows.js';

/**
 * Removes the registrations of a removed person, with their queues and delivery logs. Runs in the transaction that
 * removes the person. Each registration has an entry in the change log.
 */
export const removeRegistrationsOf = async (
  tx: PrismaTransaction,
  userUuid: string,
  { actorUuid }: { readonly actorUuid?: string | undefined },
): Promise<void> => {
  await lockUser(tx, userUuid);
  const rows = await tx.notificationRegistration.findMany({ where: { userUuid }, orderBy: { uuid: 'asc' } });
  if (rows.length === 0) return;
  await lockQueues(
    tx,
    rows.map(({ uuid }) => uuid),
  );
  await tx.notificationRegistration.deleteMany({ where: { userUuid } });
  await logChangeList(
    tx,
    rows.map((row) => toLoggedRegistration('DELETE', toShown(row), actorUuid)),
  );
};
