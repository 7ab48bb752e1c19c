import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { ToldPerson, User } from '../../../domain/identity/user.js';

/** What a user is read from. */
export const userRow = {
  person: { select: { ssoId: true, username: true, name: true, email: true, serviceAccount: true } },
  roles: { select: { roleUuid: true }, orderBy: { roleUuid: 'asc' } },
  groups: { select: { groupUuid: true }, orderBy: { groupUuid: 'asc' } },
} as const;

/** Whether a zone knows its user, and the part of the user that it sent itself. */
interface KnownPart {
  readonly knowsPerson: boolean;
  readonly toldUsername: string | null;
  readonly toldSsoId: string | null;
  readonly toldName: string | null;
  readonly toldEmail: string | null;
}

interface UserRow
  extends
    KnownPart,
    Omit<User, 'userUuid' | 'roleUuids' | 'groupUuids' | 'ssoId' | 'username' | 'name' | 'email' | 'serviceAccount'> {
  readonly personUuid: string;
  readonly person: Pick<User, 'ssoId' | 'username' | 'name' | 'email' | 'serviceAccount'>;
  readonly roles: readonly { readonly roleUuid: string }[];
  readonly groups: readonly { readonly groupUuid: string }[];
}

const shownPerson = ({ person, ...told }: KnownPart & Pick<UserRow, 'person'>): UserRow['person'] =>
  told.knowsPerson
    ? person
    : {
        username: told.toldUsername,
        ssoId: told.toldSsoId,
        name: told.toldName,
        email: told.toldEmail,
        serviceAccount: person.serviceAccount,
      };

/** The user as the zone may see it: every answer and every entry of the change log goes through here. */
export const toUser = ({
  personUuid,
  person,
  roles,
  groups,
  knowsPerson,
  toldUsername,
  toldSsoId,
  toldName,
  toldEmail,
  ...membership
}: UserRow): User => ({
  ...membership,
  ...shownPerson({ person, knowsPerson, toldUsername, toldSsoId, toldName, toldEmail }),
  userUuid: personUuid,
  roleUuids: roles.map(({ roleUuid }) => roleUuid),
  groupUuids: groups.map(({ groupUuid }) => groupUuid),
});

/** The columns of a membership that keep the data that its zone sent about a person. */
export const toldColumns = ({ username, ssoId, name, email }: ToldPerson) => ({
  knowsPerson: false,
  toldUsername: username,
  toldSsoId: ssoId,
  toldName: name,
  toldEmail: email,
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
