import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/errors';
import type { UserInput } from '../../../domain/identity/user.js';
import { listedAt, readKnownUuids } from '../known-uuids.js';

/** Reads the roles and groups of an input; undefined when they stay unchanged. */
export const readJoined = async (tx: PrismaTransaction, zoneUuid: string, input: UserInput, faults: FaultList) => {
  const { roleUuids, groupUuids } = input;
  return {
    roles:
      roleUuids === undefined
        ? undefined
        : await readKnownUuids(tx, 'role', zoneUuid, listedAt('/roleUuids', roleUuids), faults),
    groups:
      groupUuids === undefined
        ? undefined
        : await readKnownUuids(tx, 'group', zoneUuid, listedAt('/groupUuids', groupUuids), faults),
  };
};

/** Replaces the roles and groups of a user. */
export const writeJoined = async (
  tx: PrismaTransaction,
  zoneUserUuid: string,
  { roles, groups }: Awaited<ReturnType<typeof readJoined>>,
): Promise<void> => {
  if (roles !== undefined) {
    await tx.roleMember.deleteMany({ where: { zoneUserUuid } });
    await tx.roleMember.createMany({ data: roles.map(({ uuid: roleUuid }) => ({ roleUuid, zoneUserUuid })) });
  }
  if (groups !== undefined) {
    await tx.groupMember.deleteMany({ where: { zoneUserUuid } });
    await tx.groupMember.createMany({ data: groups.map(({ uuid: groupUuid }) => ({ groupUuid, zoneUserUuid })) });
  }
};
