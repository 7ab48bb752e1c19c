import type { AccessRule } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { logIdentities } from '../change-log/log-identities.js';
import { toLoggedPermission } from '../change-log/to-logged-permission.js';
import { rulesAllowMore } from '../holdings/data-rules.js';
import { grantDomain } from './grant-domain.js';
import type { IdentityWriter } from '../identity-writer.js';
import { loadDataOfPerson } from '../holdings/data-of-people.js';
import { managedRoleNames } from '../managed-roles.js';

/** A domain that changes its owner. */
export interface MovedDomain {
  readonly domainUuid: string;
  readonly fromZoneUuid: string;
  readonly toZoneUuid: string;
}

/** The identities of the owning zone that a domain takes to the new owner. */
const ofDomain = ({ domainUuid, fromZoneUuid }: MovedDomain): AccessRule => ({
  effect: 'ALLOW',
  actions: null,
  zoneUuid: fromZoneUuid,
  adaptorUuid: null,
  domainUuid,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
});

const hasRecords = async (tx: PrismaTransaction, domainUuid: string): Promise<boolean> => {
  const versions = await tx.domainVersion.findMany({ where: { domainUuid }, select: { uuid: true } });
  const domainVersionUuid = { in: versions.map(({ uuid }) => uuid) };
  return (await tx.dataRecord.findFirst({ where: { domainVersionUuid }, select: { uuid: true } })) !== null;
};

/** The data of the domain becomes that of another zone: only a caller who has the data may give it. A domain without records shows nothing. */
const requireGivable = async (tx: PrismaTransaction, moved: MovedDomain, actorUuid: string): Promise<void> => {
  if (!(await hasRecords(tx, moved.domainUuid))) return;
  if (!(await rulesAllowMore(tx, [[ofDomain(moved)]], await loadDataOfPerson(tx, actorUuid)))) return;
  throw new AppError('FORBIDDEN', 'you cannot give what you do not hold', {
    errors: [{ pointer: '/zoneUuid', code: 'NOT_HELD', detail: 'the zone would get data that you do not have' }],
  });
};

/**
 * Takes a domain from the data stewards of the zone that owned it and gives it to those of the new owner, whose data its
 * records become. Works inside the transaction that changes the domain, before it does.
 *
 * @throws AppError FORBIDDEN when the domain has data and the actor has not got all of it
 */
export const moveDomain = async (tx: PrismaTransaction, moved: MovedDomain, writer: IdentityWriter): Promise<void> => {
  const { domainUuid, fromZoneUuid, toZoneUuid } = moved;
  const { actorUuid } = writer;
  if (actorUuid !== undefined) await requireGivable(tx, moved, actorUuid);
  const stewards = await tx.role.findMany({
    where: { zoneUuid: fromZoneUuid, name: managedRoleNames.zoneDataSteward, managed: true },
    select: { uuid: true },
  });
  const holderUuid = { in: stewards.map(({ uuid }) => uuid) };
  const where = { holderUuid, action: 'ALL', resource: `/domains/${domainUuid}/*` };
  const taken = await tx.permission.findMany({ where });
  await tx.permission.deleteMany({ where: { uuid: { in: taken.map(({ uuid }) => uuid) } } });
  await logIdentities(tx, { uuid: actorUuid }, 'DELETE', 'Permission', taken.map(toLoggedPermission));
  await grantDomain(tx, { zoneUuid: toZoneUuid, domainUuid }, writer);
};
