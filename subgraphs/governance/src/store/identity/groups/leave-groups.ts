import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { logIdentities } from '@fds/identity';
import { groupRow, toGroup } from './group-rows.js';

/** Removes a role from the groups that have it, which changes their content. */
export const leaveGroups = async (
  tx: PrismaTransaction,
  { zoneUuid, roleUuid }: { readonly zoneUuid: string; readonly roleUuid: string },
  principal: Principal,
  now: Date,
): Promise<void> => {
  const rows = await tx.groupRole.findMany({ where: { roleUuid }, select: { groupUuid: true } });
  if (rows.length === 0) return;
  const groupUuids = rows.map(({ groupUuid }) => groupUuid);
  await tx.groupRole.deleteMany({ where: { roleUuid } });
  await tx.userGroup.updateMany({
    where: { uuid: { in: groupUuids } },
    data: { lastUpdated: now, changeVersion: { increment: 1 } },
  });
  const groups = await tx.userGroup.findMany({ where: { uuid: { in: groupUuids }, zoneUuid }, include: groupRow });
  await logIdentities(tx, principal, 'PATCH', 'Group', groups.map(toGroup));
};
