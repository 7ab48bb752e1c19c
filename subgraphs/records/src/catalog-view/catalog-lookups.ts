import type { SqlSession } from '@fds/database';
import { isStorableText } from '@fds/json';
import { findDomains } from './store/load-catalog.js';
import type { AdaptorView, DomainVersionView } from '../domain/catalog.js';
import type { CatalogTables } from './catalog-tables.js';
import type { StaleParts } from './stale-parts.js';

/** Finds resources that the change log may not have delivered yet. */
export interface CatalogLookups {
  /**
   * A version by its domain's name, ignoring case; 0 is the default one. An unknown resource is looked up in the database
   * before it counts as unknown, so that no decision depends on the delay of the change log.
   */
  findVersion(domainName: string, versionNumber: number): Promise<DomainVersionView | undefined>;
  /** Likewise by the domain's uuid. */
  findVersionOfDomain(domainUuid: string, versionNumber: number): Promise<DomainVersionView | undefined>;
  findVersionByUuid(uuid: string): Promise<DomainVersionView | undefined>;
  /** Reads versions again, when a decision depends on a change of a moment ago. */
  reloadVersions(uuids: readonly string[]): Promise<void>;
  findAdaptor(uuid: string): Promise<AdaptorView | undefined>;
  /** Reads an adaptor again, when a decision depends on a change of a moment ago. */
  reloadAdaptor(uuid: string): Promise<AdaptorView | undefined>;
  /**
   * Reads adaptors and domains again, by the known uuids: many at once, when many events were refused for missing
   * capabilities or versions.
   */
  reloadNamed(named: {
    readonly adaptorUuids: readonly string[];
    readonly domainNames: readonly string[];
  }): Promise<void>;
}

/** @param reload loads parts again */
export const createCatalogLookups = (
  session: SqlSession,
  catalog: CatalogTables,
  reload: (parts: Partial<StaleParts>) => Promise<void>,
): CatalogLookups => ({
  findVersion: async (domainName, versionNumber) => {
    const known = catalog.version(domainName, versionNumber);
    // a name that cannot be stored names no domain, and a statement with it fails
    if (known !== undefined || !isStorableText(domainName)) return known;
    const domains = new Set(await findDomains(session, [domainName]));
    if (domains.size > 0) await reload({ domains });
    return catalog.version(domainName, versionNumber);
  },
  findVersionOfDomain: async (domainUuid, versionNumber) => {
    const known = catalog.versionOfDomain(domainUuid, versionNumber);
    if (known !== undefined) return known;
    await reload({ domains: new Set([domainUuid]) });
    return catalog.versionOfDomain(domainUuid, versionNumber);
  },
  findVersionByUuid: async (uuid) => {
    if (catalog.versionByUuid(uuid) === undefined) await reload({ versions: new Set([uuid]) });
    return catalog.versionByUuid(uuid);
  },
  reloadVersions: (uuids) => reload({ versions: new Set(uuids) }),
  findAdaptor: async (uuid) => {
    if (catalog.adaptor(uuid) === undefined) await reload({ adaptors: new Set([uuid]) });
    return catalog.adaptor(uuid);
  },
  reloadAdaptor: async (uuid) => {
    await reload({ adaptors: new Set([uuid]) });
    return catalog.adaptor(uuid);
  },
  reloadNamed: async ({ adaptorUuids, domainNames }) => {
    const domains = domainNames.length === 0 ? [] : await findDomains(session, domainNames);
    if (adaptorUuids.length + domains.length === 0) return;
    await reload({ adaptors: new Set(adaptorUuids), domains: new Set(domains) });
  },
});
