import type { Database } from '@fds/database';
import type { Adaptor } from '../domain/adaptors/adaptor.js';
import type { AdaptorType } from '../domain/adaptors/adaptor-type.js';
import type { Domain } from '../domain/domains/domain.js';
import type { DomainVersion } from '../domain/versions/domain-version.js';
import type { Zone } from '../domain/zones/zone.js';
import { toAdaptor, withTypeAndCapabilities } from './adaptors/adaptor-rows.js';
import type { Discovery, DiscoveryStore } from './adaptors/discovery-store.js';
import { loadVerifications, type AdaptorVerification } from './adaptors/load-verifications.js';
import { loadLastMinutes, type AdaptorMinute } from './operations/load-last-minutes.js';
import { loadQueues, type AdaptorQueue } from './operations/load-queue.js';
import { toAdaptorType, withDefaultCapabilities } from './adaptor-types/adaptor-type-rows.js';
import { toDomain } from './domains/domain-rows.js';
import { toZone } from './zones/zone-rows.js';
import { loadVersionProperties, type VersionProperty } from './versions/version-properties.js';

/** Reads of several resources at once, in any order. Uuids that do not exist are left out. */
export interface CatalogReader {
  zones(uuids: string[]): Promise<readonly Zone[]>;
  adaptorTypes(uuids: string[]): Promise<readonly AdaptorType[]>;
  adaptors(uuids: string[]): Promise<readonly Adaptor[]>;
  /** By version. */
  discoveries(adaptorUuids: readonly string[]): Promise<readonly Discovery[]>;
  domains(uuids: string[]): Promise<readonly Domain[]>;
  versions(uuids: string[]): Promise<readonly DomainVersion[]>;
  /** By number. */
  versionsOf(domainUuids: string[]): Promise<readonly DomainVersion[]>;
  /** The result has no entry for an adaptor that was never compared. */
  verificationsOf(adaptorUuids: readonly string[]): Promise<ReadonlyMap<string, readonly AdaptorVerification[]>>;
  queuesOf(adaptorUuids: readonly string[]): Promise<ReadonlyMap<string, AdaptorQueue>>;
  /** Minutes with events, the oldest first. @param after minute since 1970 */
  minutesOf(adaptorUuids: readonly string[], after: number): Promise<ReadonlyMap<string, readonly AdaptorMinute[]>>;
  /** In the same order as the versions. */
  propertiesOf(versions: readonly DomainVersion[]): Promise<readonly (readonly VersionProperty[])[]>;
}

export const createCatalogReader = (
  { prisma, reads }: Database,
  { list: discoveries }: Pick<DiscoveryStore, 'list'>,
): CatalogReader => {
  const among = (uuids: string[]) => ({ where: { uuid: { in: uuids } } });
  return {
    zones: async (uuids) => (await prisma.zone.findMany(among(uuids))).map(toZone),
    adaptorTypes: async (uuids) =>
      (await prisma.adaptorType.findMany({ ...among(uuids), include: withDefaultCapabilities })).map(toAdaptorType),
    adaptors: async (uuids) =>
      (await prisma.adaptor.findMany({ ...among(uuids), include: withTypeAndCapabilities })).map(toAdaptor),
    discoveries,
    domains: async (uuids) => (await prisma.domain.findMany(among(uuids))).map(toDomain),
    versions: (uuids) => prisma.domainVersion.findMany(among(uuids)),
    versionsOf: (domainUuids) =>
      prisma.domainVersion.findMany({
        where: { domainUuid: { in: domainUuids } },
        orderBy: [{ domainUuid: 'asc' }, { versionNumber: 'asc' }],
      }),
    verificationsOf: (adaptorUuids) => loadVerifications(reads, adaptorUuids),
    queuesOf: (adaptorUuids) => loadQueues(reads, adaptorUuids),
    minutesOf: (adaptorUuids, after) => loadLastMinutes(reads, adaptorUuids, after),
    propertiesOf: (versions) => loadVersionProperties(prisma, versions),
  };
};
