import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import DataLoader from 'dataloader';
import type { Adaptor } from '../domain/adaptors/adaptor.js';
import type { AdaptorType } from '../domain/adaptors/adaptor-type.js';
import type { Domain } from '../domain/domains/domain.js';
import type { DomainVersion } from '../domain/versions/domain-version.js';
import {
  mayReadAdaptor,
  mayReadAdaptorType,
  mayReadDomain,
  mayReadVersion,
  mayReadZone,
} from '../domain/visibility.js';
import type { Zone } from '../domain/zones/zone.js';
import type { Discovery } from '../store/adaptors/discovery-store.js';
import type { AdaptorVerification } from '../store/adaptors/load-verifications.js';
import type { CatalogReader } from '../store/catalog-reader.js';
import type { AdaptorMinute } from '../store/operations/load-last-minutes.js';
import type { AdaptorQueue } from '../store/operations/load-queue.js';
import type { VersionProperty } from '../store/versions/version-properties.js';

/**
 * Loaders for one request, which read in batches. A loader returns null for a resource that does not exist or that the
 * caller may not read. Loaders of summaries ignore the caller, because a summary is part of another resource's answer.
 */
interface CatalogLoaders {
  readonly zone: DataLoader<string, Zone | null>;
  readonly adaptorType: DataLoader<string, AdaptorType | null>;
  readonly adaptor: DataLoader<string, Adaptor | null>;
  readonly domain: DataLoader<string, Domain | null>;
  readonly domainSummary: DataLoader<string, Domain | null>;
  readonly version: DataLoader<string, DomainVersion | null>;
  /** Versions of a domain, ordered by number. */
  readonly versionsOf: DataLoader<string, readonly DomainVersion[]>;
  /** All versions of a domain, ordered by number. */
  readonly versionSummaries: DataLoader<string, readonly DomainVersion[]>;
  /** Discoveries of an adaptor, by version. */
  readonly discoveriesOf: DataLoader<string, readonly Discovery[]>;
  /** The verifications of an adaptor, by version. */
  readonly verificationsOf: DataLoader<string, readonly AdaptorVerification[]>;
  readonly queueOf: DataLoader<string, AdaptorQueue | null>;
  /** By the adaptor and the minute (since 1970) after which they are wanted. */
  readonly minutesOf: DataLoader<MinutesKey, readonly AdaptorMinute[], string>;
  readonly propertiesOf: DataLoader<DomainVersion, readonly VersionProperty[], string>;
}

/** The minutes of an adaptor after one. */
interface MinutesKey {
  readonly adaptorUuid: string;
  readonly after: number;
}

export type LoadersOf = (context: RequestContext) => CatalogLoaders;

export const minuteMs = 60_000;

/** Rows in the order of their keys. */
const byUuid = <Row extends { readonly uuid: string }>(
  read: (uuids: string[]) => Promise<readonly Row[]>,
  mayRead: (row: Row) => boolean,
): DataLoader<string, Row | null> =>
  new DataLoader(async (uuids) => {
    const rows = new Map((await read([...uuids])).filter(mayRead).map((row) => [row.uuid, row]));
    return uuids.map((uuid) => rows.get(uuid) ?? null);
  });

const createVersionLoaders = (
  reader: CatalogReader,
  principal: Principal,
): Pick<CatalogLoaders, 'versionsOf' | 'versionSummaries'> => {
  const versionSummaries = new DataLoader(async (domainUuids: readonly string[]) => {
    const versions = Map.groupBy(await reader.versionsOf([...domainUuids]), (version) => version.domainUuid);
    return domainUuids.map((uuid) => versions.get(uuid) ?? []);
  });
  const versionsOf = new DataLoader((domainUuids: readonly string[]) =>
    Promise.all(
      domainUuids.map(async (uuid) =>
        (await versionSummaries.load(uuid)).filter((version) => mayReadVersion(principal, version)),
      ),
    ),
  );
  return { versionsOf, versionSummaries };
};

const createLoaders = (reader: CatalogReader, principal: Principal): CatalogLoaders => ({
  zone: byUuid(
    (uuids) => reader.zones(uuids),
    (zone) => mayReadZone(principal, zone),
  ),
  adaptorType: byUuid(
    (uuids) => reader.adaptorTypes(uuids),
    (type) => mayReadAdaptorType(principal, type),
  ),
  adaptor: byUuid(
    (uuids) => reader.adaptors(uuids),
    (adaptor) => mayReadAdaptor(principal, adaptor),
  ),
  domain: byUuid(
    (uuids) => reader.domains(uuids),
    (domain) => mayReadDomain(principal, domain),
  ),
  domainSummary: byUuid(
    (uuids) => reader.domains(uuids),
    () => true,
  ),
  version: byUuid(
    (uuids) => reader.versions(uuids),
    (version) => mayReadVersion(principal, version),
  ),
  ...createVersionLoaders(reader, principal),
  discoveriesOf: new DataLoader(async (uuids) => {
    const discoveries = Map.groupBy(await reader.discoveries(uuids), ({ adaptorUuid }) => adaptorUuid);
    return uuids.map((uuid) => discoveries.get(uuid) ?? []);
  }),
  verificationsOf: new DataLoader(async (uuids) => {
    const found = await reader.verificationsOf(uuids);
    return uuids.map((uuid) => found.get(uuid) ?? []);
  }),
  queueOf: new DataLoader(async (uuids) => {
    const found = await reader.queuesOf(uuids);
    return uuids.map((uuid) => found.get(uuid) ?? null);
  }),
  minutesOf: new DataLoader(
    async (keys) => {
      const uuids = [...new Set(keys.map(({ adaptorUuid }) => adaptorUuid))];
      const found = await reader.minutesOf(uuids, Math.min(...keys.map(({ after }) => after)));
      return keys.map(({ adaptorUuid, after }) =>
        (found.get(adaptorUuid) ?? []).filter(({ date }) => date.getTime() > after * minuteMs),
      );
    },
    { cacheKeyFn: ({ adaptorUuid, after }) => `${adaptorUuid} ${after}` },
  ),
  propertiesOf: new DataLoader((versions) => reader.propertiesOf(versions), {
    cacheKeyFn: ({ uuid }) => uuid,
  }),
});

/** Returns the loaders of a request. They exist as long as its context. */
export const createLoadersOf = (reader: CatalogReader): LoadersOf => {
  const perRequest = new WeakMap<RequestContext, CatalogLoaders>();
  return (context) => {
    let loaders = perRequest.get(context);
    if (loaders === undefined) perRequest.set(context, (loaders = createLoaders(reader, context.principal)));
    return loaders;
  };
};
