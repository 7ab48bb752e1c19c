import type { Database } from '@fds/database';
import { guarded } from '@fds/graphql';

/** Any signed-in caller may ask who they are. */
export const callerResolver = ({ prisma }: Database) =>
  guarded({ mode: 'filter', action: 'GET', resource: '/token' }, async (_args, { principal }) => {
    const { kind, uuid, username, zones } = principal;
    const person =
      kind === 'PERSON' ? await prisma.person.findUnique({ where: { uuid }, select: { ssoId: true } }) : null;
    return {
      sub: uuid,
      username,
      ssoId: person?.ssoId,
      zones,
      adaptorUuid: kind === 'ADAPTOR' ? uuid : undefined,
    };
  });
