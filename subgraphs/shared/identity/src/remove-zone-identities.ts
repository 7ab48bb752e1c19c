import { logChange, type Change, type PrismaTransaction } from '@fds/database';
import type { IdentityWriter } from './identity-writer.js';

/** A person whose first zone goes has the oldest of the others as default zone. */
const moveDefaultZone = async (tx: PrismaTransaction, personUuids: readonly string[]) => {
  const moved = [];
  for (const personUuid of personUuids) {
    const next = await tx.zoneUser.findFirst({
      where: { personUuid },
      orderBy: [{ dateCreated: 'asc' }, { uuid: 'asc' }],
      select: { uuid: true },
    });
    if (next === null) continue;
    const data = { defaultZone: true, changeVersion: { increment: 1 } };
    moved.push(await tx.zoneUser.update({ where: { uuid: next.uuid }, data }));
  }
  return moved;
};

/**
 * Removes what a zone brought with it and was given since: its roles, memberships and permissions. Works inside the
 * transaction that deletes the zone. Persons stay, also those who are of no zone any more.
 */
export const removeZoneIdentities = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  { actorUuid }: Pick<IdentityWriter, 'actorUuid'>,
): Promise<void> => {
  const log = (change: Pick<Change, 'action' | 'resourceType' | 'resource' | 'resourceUuid' | 'data' | 'zoneUuid'>) =>
    logChange(tx, { zoneUuid, ...(actorUuid === undefined ? {} : { actorUuid }), ...change });

  const roles = await tx.role.findMany({ where: { zoneUuid } });
  const users = await tx.zoneUser.findMany({ where: { zoneUuid } });
  const holderUuid = { in: [...roles, ...users].map(({ uuid }) => uuid) };
  const held = { OR: [{ zoneUuid }, { holderUuid }] };
  const permissions = await tx.permission.findMany({ where: held });

  await tx.permission.deleteMany({ where: held });
  await tx.role.deleteMany({ where: { zoneUuid } });
  await tx.zoneUser.deleteMany({ where: { zoneUuid } });
  const homeless = users.filter(({ defaultZone }) => defaultZone).map(({ personUuid }) => personUuid);
  const moved = await moveDefaultZone(tx, homeless);

  if (permissions.length > 0) {
    const resource = `/zones/${zoneUuid}/permissions`;
    await log({ action: 'DELETE', resourceType: 'Permission', resource, data: { permissions } });
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
