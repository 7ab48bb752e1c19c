import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';

interface AssignedRole {
  readonly uuid: string;
  readonly name: string;
}

/** Managed roles of a zone that an active user has, directly or through a group. */
export const assignedManagedRoles = (tx: PrismaTransaction, zoneUuid: string): Promise<AssignedRole[]> => {
  const zoneUser = { active: true, person: { active: true } };
  return tx.role.findMany({
    where: {
      zoneUuid,
      managed: true,
      OR: [{ members: { some: { zoneUser } } }, { groups: { some: { group: { members: { some: { zoneUser } } } } } }],
    },
    select: { uuid: true, name: true },
  });
};

/** @throws AppError CONFLICT when one of the roles has lost its last holder */
export const requireStillAssigned = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  before: readonly AssignedRole[],
): Promise<void> => {
  if (before.length === 0) return;
  const assigned = new Set((await assignedManagedRoles(tx, zoneUuid)).map(({ uuid }) => uuid));
  const lost = before.filter(({ uuid }) => !assigned.has(uuid));
  if (lost.length === 0) return;
  const names = lost.map(({ name }) => name).join(', ');
  throw new AppError('CONFLICT', `no active user would hold ${names}`, {
    errors: lost.map(({ name }) => ({
      pointer: '',
      code: 'LAST_HOLDER',
      detail: `give ${name} to another active user first`,
    })),
  });
};
