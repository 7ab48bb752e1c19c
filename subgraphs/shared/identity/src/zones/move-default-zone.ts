import type { PrismaTransaction } from '@fds/database';

/** Gives persons whose default zone goes the oldest of their others; tells the memberships that became default. */
export const moveDefaultZone = async (tx: PrismaTransaction, personUuids: readonly string[]) => {
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
