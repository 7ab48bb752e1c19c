import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Endpoints, Grant } from '@fds/access-rules';
import { loadGrantsOf } from '../holdings/load-grants-of.js';
import { grantsOfManagedRole, type ManagedRoleName } from '../managed-roles.js';

/** Persons whom the body of a new zone names for one of its managed roles. */
export interface Appointment {
  readonly role: ManagedRoleName;
  /** Where the body names them. */
  readonly member: 'adminUserUuids' | 'dataStewardUserUuids';
  readonly personUuids: readonly string[];
}

const reachesBeyond = (zoneUuid: string, { resource }: Grant): boolean =>
  !`${resource}/`.startsWith(`/zones/${zoneUuid}/`);

/**
 * A caller grants only permissions that the caller holds (docs/reference/access.md#permissions). The creator of a zone
 * may give all permissions below it. Permissions that its roles hold elsewhere, such as data, go only to users who already
 * hold them or whom a holder names. A caller who may create zones anywhere names any user.
 *
 * @param endpoints see `CompiledGrants.coversReached`
 * @throws AppError FORBIDDEN that names every user who would get too much
 */
export const requireAppointable = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  appointments: readonly Appointment[],
  actorUuid: string,
  endpoints: Endpoints,
): Promise<void> => {
  if (appointments.every(({ personUuids }) => personUuids.length === 0)) return;
  const actor = await loadGrantsOf(tx, actorUuid);
  if (actor.permits('POST', '/zones')) return;
  const errors: { readonly pointer: string; readonly code: string; readonly detail: string }[] = [];
  for (const { role, member, personUuids } of appointments) {
    const beyond = grantsOfManagedRole(role, zoneUuid).filter(
      (grant) => reachesBeyond(zoneUuid, grant) && !actor.coversReached(grant, endpoints),
    );
    for (const [index, personUuid] of personUuids.entries()) {
      const own = beyond.length === 0 ? actor : await loadGrantsOf(tx, personUuid);
      for (const grant of beyond.filter((each) => !own.coversReached(each, endpoints)))
        errors.push({
          pointer: `/${member}/${index}`,
          code: 'NOT_HELD',
          detail: `neither you nor they hold ${grant.action} ${grant.resource}`,
        });
    }
  }
  if (errors.length > 0) throw new AppError('FORBIDDEN', 'you cannot give what you do not hold', { errors });
};
