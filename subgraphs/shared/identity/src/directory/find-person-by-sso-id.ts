import type { Database } from '@fds/database';

/** Uuid of the person with this id at the external identity provider; undefined when no person has it. */
export const findPersonBySsoId = async ({ prisma }: Database, ssoId: string): Promise<string | undefined> =>
  (await prisma.person.findUnique({ where: { ssoId }, select: { uuid: true } }))?.uuid;
