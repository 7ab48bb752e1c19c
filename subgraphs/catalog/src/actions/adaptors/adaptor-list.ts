import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import { filterText, orderOf, type Paged, type PageRequest, readPage, requirePermission } from '@fds/graphql';
import type { AdaptorState } from '../../domain/adaptors/adaptor-state.js';
import type { Adaptor } from '../../domain/adaptors/adaptor.js';
import type { CapabilityAction } from '../../domain/adaptors/capabilities.js';
import { mayReadAdaptorsOf, requireAnyOf } from '../../domain/visibility.js';
import { toAdaptor, withTypeAndCapabilities } from '../../store/adaptors/adaptor-rows.js';
import { findCapabilities } from '../../store/adaptors/find-capabilities.js';
import { requireZone } from '../zones/require-zone.js';

export interface AdaptorFilter {
  readonly zoneName?: string | null;
  readonly zoneUuid?: string | null;
  readonly name?: string | null;
  readonly state?: AdaptorState | null;
  readonly active?: boolean | null;
  readonly adaptorTypeUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly action?: CapabilityAction | null;
  readonly includeInactive?: boolean | null;
  readonly sort?: string | null;
}

const sortFields = [
  'name',
  'state',
  'active',
  'discoveryMode',
  'dateCreated',
  'lastUpdated',
  'adaptorType.name',
  'zone.name',
];

const visibleZones = async ({ prisma }: Database, zoneUuid: string | null | undefined, principal: Principal) => {
  if (zoneUuid) {
    requirePermission(principal, 'GET', `/zones/${zoneUuid}/adaptors`);
    await requireZone(prisma, zoneUuid);
    return [zoneUuid];
  }
  const zones = await prisma.zone.findMany({ select: { uuid: true } });
  const visible = zones.map((zone) => zone.uuid).filter((uuid) => mayReadAdaptorsOf(principal, uuid));
  if (visible.length === 0) requireAnyOf(principal, ['/zones/?/adaptors']);
  return visible;
};

/** Condition for adaptors whose effective capabilities include the requested one; undefined when no adaptor can fit. */
const capableOf = async (
  { prisma }: Database,
  { domainVersionUuid, action }: AdaptorFilter,
): Promise<object | undefined> => {
  if (!domainVersionUuid) {
    if (!action) return {};
    return {
      OR: [
        { inheritsCapabilities: false, capabilities: { some: { action } } },
        { inheritsCapabilities: true, adaptorType: { defaultCapabilities: { some: { action } } } },
      ],
    };
  }
  const version = await prisma.domainVersion.findUnique({
    where: { uuid: domainVersionUuid },
    select: { versionNumber: true, domain: { select: { name: true } } },
  });
  if (version === null) return undefined;
  const { versionNumber, domain } = version;
  const found = await findCapabilities(prisma, { domainName: domain.name, versionNumber, action });
  return { uuid: { in: [...new Set(found.map(({ adaptorUuid }) => adaptorUuid))] } };
};

/**
 * Adaptors of the zones whose adaptors the caller may read.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND when the zone is given by its uuid
 */
export const listAdaptors = async (
  database: Database,
  filter: AdaptorFilter,
  page: PageRequest,
  principal: Principal,
): Promise<Paged<Adaptor>> => {
  const orderBy = orderOf(filter.sort, sortFields, 'name');
  const name = filterText('name', filter.name);
  const zoneName = filterText('zoneName', filter.zoneName);
  const zones = await visibleZones(database, filter.zoneUuid, principal);
  const capable = await capableOf(database, filter);
  const active = filter.active ?? (filter.includeInactive === true ? undefined : true);
  const where = {
    ...capable,
    zoneUuid: { in: capable === undefined ? [] : zones },
    ...(name === undefined ? {} : { name }),
    ...(zoneName === undefined ? {} : { zone: { name: zoneName } }),
    ...(filter.state ? { state: filter.state } : {}),
    ...(active === undefined ? {} : { active }),
    ...(filter.adaptorTypeUuid ? { adaptorTypeUuid: filter.adaptorTypeUuid } : {}),
  };
  return readPage(
    page,
    () => database.prisma.adaptor.count({ where }),
    async (range) =>
      (await database.prisma.adaptor.findMany({ where, orderBy, ...range, include: withTypeAndCapabilities })).map(
        toAdaptor,
      ),
  );
};
