import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';

/** Columns from which a user is read. */
export const userRow = {
  person: { select: { ssoId: true, username: true, name: true, email: true, serviceAccount: true } },
  roles: { select: { roleUuid: true }, orderBy: { roleUuid: 'asc' } },
  groups: { select: { groupUuid: true }, orderBy: { groupUuid: 'asc' } },
} as const;

/** Data about a person, for every zone that knows the person. */
interface PersonView {
  readonly ssoId: string | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly serviceAccount: boolean;
}

/** Whether a zone knows its user, and the part of the user that it sent itself. */
interface KnownPart {
  readonly knowsPerson: boolean;
  readonly toldUsername: string | null;
  readonly toldSsoId: string | null;
  readonly toldName: string | null;
  readonly toldEmail: string | null;
}

interface UserRow extends KnownPart {
  readonly uuid: string;
  readonly personUuid: string;
  readonly zoneUuid: string;
  readonly defaultZone: boolean;
  readonly active: boolean;
  readonly providerOnly: boolean;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
  readonly person: PersonView;
  readonly roles: readonly { readonly roleUuid: string }[];
  readonly groups: readonly { readonly groupUuid: string }[];
}

const shownPerson = ({ person, ...told }: KnownPart & Pick<UserRow, 'person'>): PersonView =>
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
  providerOnly: _providerOnly,
  ...membership
}: UserRow) => ({
  ...membership,
  ...shownPerson({ person, knowsPerson, toldUsername, toldSsoId, toldName, toldEmail }),
  userUuid: personUuid,
  roleUuids: roles.map(({ roleUuid }) => roleUuid),
  groupUuids: groups.map(({ groupUuid }) => groupUuid),
});

/** A user of a zone, as that zone may see it. */
type User = ReturnType<typeof toUser>;

/** The columns of a membership that keep the data that its zone sent about a person. */
export const toldColumns = ({ username, ssoId, name, email }: Omit<PersonView, 'serviceAccount'>) => ({
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
export const loadUsers = async (tx: PrismaTransaction, zoneUuid: string, zoneUserUuids: readonly string[]) =>
  (await tx.zoneUser.findMany({ where: { uuid: { in: [...zoneUserUuids] }, zoneUuid }, include: userRow })).map(toUser);
