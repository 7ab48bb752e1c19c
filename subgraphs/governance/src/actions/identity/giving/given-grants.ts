import type { PrismaTransaction } from '@fds/database';
import { loadGrants } from '@fds/identity';
import type { GivenGrant } from './given-grant.js';
import type { NamedUuid } from '../known-uuids.js';

/** The grants that users get by joining groups and roles. Joining counts as getting all permissions of the group or role. */
export const grantsByJoining = async (
  tx: PrismaTransaction,
  { roles, groups }: { readonly roles: readonly NamedUuid[]; readonly groups: readonly NamedUuid[] },
): Promise<GivenGrant[]> => {
  const groupRoles = await tx.groupRole.findMany({ where: { groupUuid: { in: groups.map(({ uuid }) => uuid) } } });
  const pointerOfGroup = new Map(groups.map(({ uuid, pointer }) => [uuid, pointer]));
  const pointers = new Map([
    ...groupRoles.map(({ roleUuid, groupUuid }) => [roleUuid, pointerOfGroup.get(groupUuid) ?? ''] as const),
    ...[...groups, ...roles].map(({ uuid, pointer }) => [uuid, pointer] as const),
  ]);
  const granted = await loadGrants(
    tx,
    [...pointers.keys()].map((uuid) => ({ uuid, name: '' })),
  );
  return granted.map((grant) => ({ grant, pointer: pointers.get(grant.source.uuid) ?? '' }));
};
