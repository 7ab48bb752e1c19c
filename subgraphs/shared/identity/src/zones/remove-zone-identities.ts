import type { PrismaTransaction } from '@fds/database';
import { logIdentities } from '../change-log/log-identities.js';
import { toLoggedPermission } from '../change-log/to-logged-permission.js';
import type { IdentityWriter } from '../identity-writer.js';
import { showNoMore } from '../holdings/show-no-more.js';
import { requireUser, toUser, userRow } from '../users/user-rows.js';
import { moveDefaultZone } from './move-default-zone.js';

const removeIdentities = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  actorUuid: string | undefined,
): Promise<void> => {
  const actor = { uuid: actorUuid };
  const roles = await tx.role.findMany({ where: { zoneUuid } });
  const users = await tx.zoneUser.findMany({ where: { zoneUuid }, include: userRow });
  const groups = await tx.userGroup.findMany({ where: { zoneUuid } });
  const holderUuid = { in: [...roles, ...users, ...groups].map(({ uuid }) => uuid) };
  const ofZone = { OR: [{ zoneUuid }, { holderUuid }] };
  const permissions = await tx.permission.findMany({ where: ofZone });

  await tx.permission.deleteMany({ where: ofZone });
  await tx.userGroup.deleteMany({ where: { zoneUuid } });
  await tx.role.deleteMany({ where: { zoneUuid } });
  await tx.zoneUser.deleteMany({ where: { zoneUuid } });
  const homeless = users.filter(({ defaultZone }) => defaultZone).map(({ personUuid }) => personUuid);
  const moved = await moveDefaultZone(tx, homeless);

  await logIdentities(tx, actor, 'DELETE', 'Permission', permissions.map(toLoggedPermission));
  await logIdentities(tx, actor, 'DELETE', 'Group', groups);
  await logIdentities(tx, actor, 'DELETE', 'Role', roles);
  await logIdentities(tx, actor, 'DELETE', 'User', users.map(toUser));
  const remaining = [];
  for (const { uuid, zoneUuid: remainingZoneUuid } of moved) {
    remaining.push(await requireUser(tx, remainingZoneUuid, uuid));
  }
  await logIdentities(tx, actor, 'PATCH', 'User', remaining);
};

/**
 * Removes everything that belongs to a zone: its groups, roles, memberships and permissions. Works inside the
 * transaction that deletes the zone. Persons stay, also those without a zone.
 *
 * @throws AppError FORBIDDEN, see `showNoMore`: rules that end with the zone may limit the data of its users
 */
export const removeZoneIdentities = (
  tx: PrismaTransaction,
  zoneUuid: string,
  { actorUuid }: Pick<IdentityWriter, 'actorUuid'>,
): Promise<void> => {
  const remove = (): Promise<void> => removeIdentities(tx, zoneUuid, actorUuid);
  return actorUuid === undefined ? remove() : showNoMore(tx, { actorUuid, zoneUuid }, remove);
};
