import type { Group } from '../../../domain/identity/group.js';

/** Columns from which a group is read. */
export const groupRow = { roles: { select: { roleUuid: true }, orderBy: { roleUuid: 'asc' } } } as const;

export const toGroup = ({
  roles: assigned,
  ...group
}: Omit<Group, 'roleUuids'> & { readonly roles: readonly { readonly roleUuid: string }[] }): Group => ({
  ...group,
  roleUuids: assigned.map(({ roleUuid }) => roleUuid),
});
