import type { Database } from '@fds/database';

/** Id of the person at the external identity provider; undefined when the person has no such id. */
export const findSsoId = async ({ prisma }: Database, personUuid: string): Promise<string | undefined> => {
  const person = await prisma.person.findUnique({ where: { uuid: personUuid }, select: { ssoId: true } });
  return person?.ssoId ?? undefined;
};
