import type { PrismaTransaction } from '@fds/database';
import { logIdentity } from '../change-log/log-identities.js';
import type { IdentityWriter } from '../identity-writer.js';
import { requireUser } from '../users/user-rows.js';
import { mayKnowPerson } from './may-know-person.js';

/** A person, a zone and a role of that zone. */
export interface RoleHolder {
  readonly personUuid: string;
  readonly zoneUuid: string;
  readonly roleUuid: string;
}

/** Makes a person hold a role, as a user of the role's zone; the first zone of a person is their default zone. */
export const joinRole = async (
  tx: PrismaTransaction,
  { personUuid, zoneUuid, roleUuid }: RoleHolder,
  { actorUuid, newUuid }: IdentityWriter,
): Promise<void> => {
  const present = await tx.zoneUser.findUnique({
    where: { personUuid_zoneUuid: { personUuid, zoneUuid } },
    select: { uuid: true },
  });
  const membership =
    present ??
    (await tx.zoneUser.create({
      data: {
        uuid: newUuid(),
        personUuid,
        zoneUuid,
        defaultZone: (await tx.zoneUser.count({ where: { personUuid } })) === 0,
        knowsPerson: await mayKnowPerson(tx, actorUuid, personUuid),
      },
      select: { uuid: true },
    }));
  await tx.roleMember.create({ data: { roleUuid, zoneUserUuid: membership.uuid }, select: { roleUuid: true } });
  const user = await requireUser(tx, zoneUuid, membership.uuid);
  await logIdentity(tx, { uuid: actorUuid }, present === null ? 'POST' : 'PATCH', 'User', user);
};
