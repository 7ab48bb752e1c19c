import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';

/** The caller that introspects a token, and the token's holder. */
export interface IntrospectionCase {
  readonly asker: Principal;
  readonly holder: Principal;
}

/**
 * May a client see whether a token of another client is valid, and its holder (RFC 7662 section 4: "a protected
 * resource ... is limited to tokens meant for it")? Tokens are meant for this service only, which verifies them itself.
 * Callers that may read the holder's permissions may introspect, and for an adaptor callers that may read its
 * credentials. They see nothing that they could not read before.
 */
export const mayIntrospect = async (
  { prisma }: Pick<Database, 'prisma'>,
  { asker, holder }: IntrospectionCase,
): Promise<boolean> => {
  if (asker.uuid === holder.uuid || asker.permits('GET', `/permissions/${holder.uuid}`)) return true;
  if (holder.kind !== 'ADAPTOR') {
    return holder.zones.some(({ zoneUuid, zoneUserUuid }) =>
      asker.permits('GET', `/zones/${zoneUuid}/users/${zoneUserUuid}/permissions`),
    );
  }
  const adaptor = await prisma.adaptor.findUnique({ where: { uuid: holder.uuid }, select: { zoneUuid: true } });
  return adaptor !== null && asker.permits('GET', `/zones/${adaptor.zoneUuid}/adaptors/${holder.uuid}/registration`);
};
