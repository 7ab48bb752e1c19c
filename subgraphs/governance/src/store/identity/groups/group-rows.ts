import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Group } from '../../../domain/identity/group.js';

export interface GroupKey {
  readonly zoneUuid: string;
  readonly groupUuid: string;
}

/** Columns from which a group is read. */
export const groupRow = { roles: { select: { roleUuid: true }, orderBy: { roleUuid: 'asc' } } } as const;

export const toGroup = ({
  roles: assigned,
  ...group
}: Omit<Group, 'roleUuids'> & { readonly roles: readonly { readonly roleUuid: string }[] }): Group => ({
  ...group,
  roleUuids: assigned.map(({ roleUuid }) => roleUuid),
});

/** @throws AppError NOT_FOUND when the zone has no such group */
export const requireGroup = async (tx: PrismaTransaction, { zoneUuid, groupUuid }: GroupKey): Promise<Group> => {
  const row = await tx.userGroup.findUnique({ where: { uuid: groupUuid, zoneUuid }, include: groupRow });
  if (row === null) throw new AppError('NOT_FOUND', `there is no group ${groupUuid} in the zone`);
  return toGroup(row);
};
