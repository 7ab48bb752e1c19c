import type { Database } from '@fds/database';

/** The data of a person that an OpenID client may ask for. */
export interface PersonProfile {
  readonly username: string | null;
  readonly name: string | null;
  readonly email: string | null;
}

/** The profile of a person; null where there is no such person. */
export const loadPersonProfile = ({ prisma }: Pick<Database, 'prisma'>, uuid: string): Promise<PersonProfile | null> =>
  prisma.person.findUnique({ where: { uuid }, select: { username: true, name: true, email: true } });
