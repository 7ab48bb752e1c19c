import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { compileChains } from '@fds/governance-rules';
import { parseSort, toPaged, type Paged, type PageRequest, type SortTerm } from '@fds/graphql';
import { isJsonObject, parseJson } from '@fds/json';
import { loadActiveAclEntries } from '@fds/owned-tables';
import type { AdaptorState } from '../../domain/adaptors/adaptor-state.js';
import { isPermitted, type AdaptorSummary, type CapableAdaptor } from '../../domain/adaptors/capable-adaptor.js';
import type { CapabilityAction } from '../../domain/adaptors/capabilities.js';
import { findCapabilities, type FoundCapability } from '../../store/adaptors/find-capabilities.js';
import { requireZone } from '../zones/require-zone.js';

export interface CapableAdaptorFilter {
  readonly zoneUuid: string;
  readonly domainVersionUuid: string;
  /** Absent means every action, each in a separate row. */
  readonly action?: CapabilityAction | null;
  readonly sort?: string | null;
}

const sortKeys: Readonly<Record<string, (row: CapableAdaptor) => string>> = {
  'adaptor.name': ({ adaptor }) => adaptor.name,
  'adaptor.zoneName': ({ adaptor }) => adaptor.zoneName,
  'adaptor.state': ({ adaptor }) => adaptor.state,
  action: ({ action }) => action,
  permitted: ({ permitted }) => String(permitted),
};

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Ordered by the requested keys, then by name, uuid and action. */
const inOrder = (rows: readonly CapableAdaptor[], terms: readonly SortTerm[]): CapableAdaptor[] => {
  const keys = terms.flatMap(({ field, descending }) => {
    const keyOf = sortKeys[field];
    return keyOf === undefined ? [] : [{ keyOf, sign: descending ? -1 : 1 }];
  });
  const last = [
    ({ adaptor }: CapableAdaptor) => adaptor.name,
    ({ adaptor }: CapableAdaptor) => adaptor.uuid,
    ({ action }: CapableAdaptor) => action,
  ].map((keyOf) => ({ keyOf, sign: 1 }));
  return rows.toSorted((a, b) => {
    for (const { keyOf, sign } of [...keys, ...last]) {
      const order = sign * compare(keyOf(a), keyOf(b));
      if (order !== 0) return order;
    }
    return 0;
  });
};

const loadVersion = async ({ prisma }: Database, uuid: string) => {
  const version = await prisma.domainVersion.findUnique({
    where: { uuid },
    select: { versionNumber: true, modelSchema: true, domain: { select: { name: true } } },
  });
  if (version === null) throw new AppError('NOT_FOUND', `there is no domain version ${uuid}`);
  const schema = parseJson(version.modelSchema);
  const properties = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...version, domainName: version.domain.name, properties: Object.keys(properties) };
};

const loadSummaries = async ({ prisma }: Database, found: readonly FoundCapability[]): Promise<AdaptorSummary[]> => {
  const rows = await prisma.adaptor.findMany({
    where: { active: true, uuid: { in: [...new Set(found.map(({ adaptorUuid }) => adaptorUuid))] } },
    select: {
      uuid: true,
      name: true,
      description: true,
      zoneUuid: true,
      adaptorTypeUuid: true,
      state: true,
      active: true,
      zone: { select: { name: true } },
    },
  });
  return rows.map(({ zone, state, ...row }) => ({ ...row, state: state as AdaptorState, zoneName: zone.name }));
};

/**
 * Active adaptors of all zones that are capable of an action with a domain version, with the decision whether
 * governance lets the zone exchange data with them.
 *
 * @throws AppError NOT_FOUND for the zone and the version, INVALID_PARAMETER
 */
export const listCapableAdaptors = async (
  database: Database,
  { zoneUuid, domainVersionUuid, action, sort }: CapableAdaptorFilter,
  page: PageRequest,
): Promise<Paged<CapableAdaptor>> => {
  const terms = parseSort(sort, Object.keys(sortKeys));
  await requireZone(database.prisma, zoneUuid);
  const { domainName, versionNumber, properties } = await loadVersion(database, domainVersionUuid);
  const found = await findCapabilities(database.prisma, { domainName, versionNumber, action });
  const adaptors = new Map((await loadSummaries(database, found)).map((adaptor) => [adaptor.uuid, adaptor]));
  const zones = new Set([zoneUuid, ...[...adaptors.values()].map((adaptor) => adaptor.zoneUuid)]);
  const rules = compileChains(await loadActiveAclEntries(database.reads, [...zones]));
  const rows = found.flatMap((capability): CapableAdaptor[] => {
    const adaptor = adaptors.get(capability.adaptorUuid);
    if (adaptor === undefined) return [];
    const exchange = { zoneUuid, domainVersionUuid, properties };
    const permitted = isPermitted(rules, exchange, adaptor, capability.action);
    return [{ adaptor, action: capability.action, permitted }];
  });
  const first = page.page * page.size;
  return toPaged(inOrder(rows, terms).slice(first, first + page.size), page, rows.length);
};
