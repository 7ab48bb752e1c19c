import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { User } from '../../../domain/identity/user.js';

/** What a user is read from. */
export const userRow = {
  person: { select: { ssoId: true, username: true, name: true, email: true, serviceAccount: true } },
  roles: { select: { roleUuid: true }, orderBy: { roleUuid: 'asc' } },
  groups: { select: { groupUuid: true }, orderBy: { groupUuid: 'asc' } },
} as const;

interface UserRow extends Omit<
  User,
  'userUuid' | 'roleUuids' | 'groupUuids' | 'ssoId' | 'username' | 'name' | 'email' | 'serviceAccount'
> {
  readonly personUuid: string;
  readonly person: Pick<User, 'ssoId' | 'username' | 'name' | 'email' | 'serviceAccount'>;
  readonly roles: readonly { readonly roleUuid: string }[];
  readonly groups: readonly { readonly groupUuid: string }[];
}

export const toUser = ({ personUuid, person, roles, groups, ...membership }: UserRow): User => ({
  ...membership,
  ...person,
  userUuid: personUuid,
  roleUuids: roles.map(({ roleUuid }) => roleUuid),
  groupUuids: groups.map(({ groupUuid }) => groupUuid),
});

/** @throws AppError NOT_FOUND when the zone has no such user */
export const requireUser = async (tx: PrismaTransaction, zoneUuid: string, zoneUserUuid: string): Promise<User> => {
  const row = await tx.zoneUser.findUnique({ where: { uuid: zoneUserUuid, zoneUuid }, include: userRow });
  if (row === null) throw new AppError('NOT_FOUND', `there is no user ${zoneUserUuid} in the zone`);
  return toUser(row);
};

/** Those of the users whom the zone has. */
export const loadUsers = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  zoneUserUuids: readonly string[],
): Promise<User[]> =>
  (await tx.zoneUser.findMany({ where: { uuid: { in: [...zoneUserUuids] }, zoneUuid }, include: userRow })).map(toUser);
