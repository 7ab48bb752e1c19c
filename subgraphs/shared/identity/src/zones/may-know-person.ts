import type { PrismaTransaction } from '@fds/database';
import { loadGrantsOf } from '../holdings/load-grants-of.js';

/**
 * May the actor read a person as a user of a zone that knows the person? Only then does a zone that the actor adds the person
 * to know the person too.
 *
 * @param actorUuid undefined: the server
 */
export const mayKnowPerson = async (
  tx: PrismaTransaction,
  actorUuid: string | undefined,
  personUuid: string,
): Promise<boolean> => {
  if (actorUuid === undefined || actorUuid === personUuid) return true;
  const memberships = await tx.zoneUser.findMany({
    where: { personUuid, knowsPerson: true },
    select: { uuid: true, zoneUuid: true },
  });
  const actor = await loadGrantsOf(tx, actorUuid);
  return memberships.some(({ uuid, zoneUuid }) => actor.permits('GET', `/zones/${zoneUuid}/users/${uuid}`));
};
