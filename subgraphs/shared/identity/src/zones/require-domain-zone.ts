import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { compileGrants } from '@fds/access-rules';
import { loadGrants } from '../holdings/load-grants.js';
import { holdersOf } from '../holdings/load-memberships.js';

/**
 * The path of POST `/domains` names no zone, so the zone that is to own a domain is checked here
 * (docs/reference/model-schema.md#domains).
 * It is the caller's default zone, or a zone in which the caller holds POST `/domains`. A caller who may change every domain
 * names any zone.
 *
 * @throws AppError FORBIDDEN
 */
export const requireDomainZone = async (
  tx: PrismaTransaction,
  principal: Principal,
  zoneUuid: string,
): Promise<void> => {
  const { zones, username, defaultZoneUuid } = principal;
  if (zoneUuid === defaultZoneUuid || principal.permits('PUT', '/domains/?')) return;
  const membership = zones.find((zone) => zone.zoneUuid === zoneUuid);
  const granted = membership === undefined ? [] : await loadGrants(tx, holdersOf(membership, username));
  if (compileGrants(granted).permits('POST', '/domains')) return;
  throw new AppError('FORBIDDEN', `you may not create domains that the zone ${zoneUuid} owns`, {
    errors: [
      {
        pointer: '/zoneUuid',
        code: 'NOT_HELD',
        detail: `you do not hold POST /domains as a user of the zone ${zoneUuid}`,
      },
    ],
  });
};
