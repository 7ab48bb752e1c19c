import { logChange, type Change, type PrismaTransaction } from '@fds/database';
import type { IdentityWriter } from '../identity-writer.js';
import { showNoMore } from '../holdings/show-no-more.js';
import { moveDefaultZone } from './move-default-zone.js';

const removeIdentities = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  actorUuid: string | undefined,
): Promise<void> => {
  const log = (change: Pick<Change, 'action' | 'resourceType' | 'resource' | 'resourceUuid' | 'data' | 'zoneUuid'>) =>
    logChange(tx, { zoneUuid, ...(actorUuid === undefined ? {} : { actorUuid }), ...change });

  const roles = await tx.role.findMany({ where: { zoneUuid } });
  const users = await tx.zoneUser.findMany({ where: { zoneUuid } });
  const groups = await tx.userGroup.findMany({ where: { zoneUuid } });
  const holderUuid = { in: [...roles, ...users, ...groups].map(({ uuid }) => uuid) };
  const held = { OR: [{ zoneUuid }, { holderUuid }] };
  const permissions = await tx.permission.findMany({ where: held });

  await tx.permission.deleteMany({ where: held });
  await tx.userGroup.deleteMany({ where: { zoneUuid } });
  await tx.role.deleteMany({ where: { zoneUuid } });
  await tx.zoneUser.deleteMany({ where: { zoneUuid } });
  const homeless = users.filter(({ defaultZone }) => defaultZone).map(({ personUuid }) => personUuid);
  const moved = await moveDefaultZone(tx, homeless);

  if (permissions.length > 0) {
    const resource = `/zones/${zoneUuid}/permissions`;
    await log({ action: 'DELETE', resourceType: 'Permission', resource, data: { permissions } });
  }
  for (const group of groups) {
    const resource = `/zones/${zoneUuid}/groups/${group.uuid}`;
    await log({ action: 'DELETE', resourceType: 'Group', resource, resourceUuid: group.uuid, data: group });
  }
  for (const role of roles) {
    const resource = `/zones/${zoneUuid}/roles/${role.uuid}`;
    await log({ action: 'DELETE', resourceType: 'Role', resource, resourceUuid: role.uuid, data: role });
  }
  for (const user of users) {
    const resource = `/zones/${zoneUuid}/users/${user.uuid}`;
    await log({ action: 'DELETE', resourceType: 'User', resource, resourceUuid: user.uuid, data: user });
  }
  for (const user of moved) {
    const resource = `/zones/${user.zoneUuid}/users/${user.uuid}`;
    const { zoneUuid: remaining, uuid: resourceUuid } = user;
    await log({ action: 'PATCH', resourceType: 'User', resource, resourceUuid, zoneUuid: remaining, data: user });
  }
};

/**
 * Removes what a zone brought with it and was given since: its groups, roles, memberships and permissions. Works inside the
 * transaction that deletes the zone. Persons stay, also those who are of no zone any more.
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
