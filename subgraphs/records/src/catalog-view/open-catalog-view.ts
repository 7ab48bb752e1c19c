import { openChangeLogReader, type Database } from '@fds/database';
import {
  compileChains,
  compileOperationalChain,
  type GovernanceRules,
  type OperationalRules,
} from '@fds/governance-rules';
import { isStorableText } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { loadAclEntries, loadOperationalEntries } from '@fds/owned-tables';
import type { AdaptorView, DomainVersionView } from '../domain/catalog.js';
import { findDomains, loadAdaptors, loadDomainsOf, loadVersions } from '../store/catalog/load-catalog.js';
import { loadCatalogChanges, loadLogHead, type CatalogChange } from '../store/catalog/load-catalog-changes.js';
import { CatalogTables } from './catalog-tables.js';
import { advanceTaken, isTaken, withTaken, type TakenChanges } from '../domain/taken-changes.js';

/** The catalog as records sees it, kept fresh by the change log. */
export interface CatalogView extends Closable {
  readonly catalog: CatalogTables;
  readonly governance: GovernanceRules;
  readonly operational: OperationalRules;
  /** The changes that catalog and chains contain: decisions are compared with them. */
  readonly taken: TakenChanges;
  /** Takes changes that the change log has not delivered yet. Those that are taken already cost nothing. */
  take(changes: readonly CatalogChange[]): Promise<void>;
  /** Takes every change that is committed at the call. */
  catchUp(): Promise<void>;
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
  /** Called after versions, adaptors or chains may have changed. Must not throw. */
  onChanged(listener: () => void): void;
  /** Called after something has changed by which events that wait may go on. Must not throw. */
  onUnblocked(listener: (unblocked: UnblockingChange) => void): void;
  /** Called after the change log told of adaptors that were deleted or deactivated. Must not throw. */
  onAdaptorDeleted(listener: () => void): void;
}

/** The resources that events may have waited for. */
export interface UnblockingChange {
  /** Versions that are new or have changed. */
  readonly versions: readonly string[];
  /** Adaptors that are new or may do more than before. */
  readonly adaptors: readonly string[];
  /** The operational chain was changed. */
  readonly operational: boolean;
}

export interface CatalogViewOptions {
  readonly database: Database;
  readonly log: Log;
}

/** The resources that a page of changes requires to load again. */
interface StaleParts {
  readonly domains: Set<string>;
  readonly versions: Set<string>;
  readonly adaptors: Set<string>;
  allAdaptors: boolean;
  allVersions: boolean;
  acls: boolean;
  operational: boolean;
}

const nothingStale = (): StaleParts => ({
  domains: new Set(),
  versions: new Set(),
  adaptors: new Set(),
  allAdaptors: false,
  allVersions: false,
  acls: false,
  operational: false,
});

/** Changes that `findStale` knows. */
const relevantTypes = [
  'Domain',
  'DomainVersion',
  'Adaptor',
  'AdaptorState',
  'AdaptorType',
  'InboundAcl',
  'OutboundAcl',
  'OperationalAcl',
];

const findStale = (changes: readonly CatalogChange[]): StaleParts => {
  const stale = nothingStale();
  const note = (uuids: Set<string>, uuid: string | undefined): boolean =>
    uuid !== undefined && uuids.add(uuid).size > 0;
  for (const { resourceType, resourceUuid, action } of changes) {
    if (resourceType === 'Domain') stale.allVersions ||= !note(stale.domains, resourceUuid);
    // a version that is gone cannot say whose it was
    if (resourceType === 'DomainVersion') {
      stale.allVersions ||= action === 'DELETE' || !note(stale.versions, resourceUuid);
    }
    if (resourceType === 'Adaptor') stale.allAdaptors ||= !note(stale.adaptors, resourceUuid);
    if (resourceType === 'AdaptorState') stale.allAdaptors ||= !note(stale.adaptors, resourceUuid);
    if (resourceType === 'AdaptorType') stale.allAdaptors = true;
    if (resourceType === 'InboundAcl' || resourceType === 'OutboundAcl') stale.acls = true;
    if (resourceType === 'OperationalAcl') stale.operational = true;
  }
  return stale;
};

/**
 * Loads the catalog and follows its changes.
 *
 * @throws the database's error when it cannot be loaded
 */
export const openCatalogView = async ({ database, log }: CatalogViewOptions): Promise<CatalogView> => {
  const { pool } = database;
  const catalog = new CatalogTables();
  const listeners: (() => void)[] = [];
  const deletionListeners: (() => void)[] = [];
  const unblockedListeners: ((unblocked: UnblockingChange) => void)[] = [];
  let governance = compileChains([]);
  let operational = compileOperationalChain([]);
  /** Loads run one after another, so that an older answer never overwrites a newer one. */
  let last: Promise<void> = Promise.resolve();

  const inTurn = (load: () => Promise<void>): Promise<void> => {
    const turn = last.then(load);
    last = turn.catch(() => undefined);
    return turn;
  };
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const loadStale = async (stale: StaleParts): Promise<void> => {
    const { domains, versions, adaptors, operational: isOperational } = stale;
    let [changedVersions, enabledAdaptors]: (readonly string[])[] = [];
    if (stale.allVersions || domains.size + versions.size > 0) {
      const ofVersions = stale.allVersions ? [] : await loadDomainsOf(pool, [...versions]);
      const wanted = stale.allVersions ? undefined : [...new Set([...domains, ...ofVersions])];
      changedVersions = catalog.putVersions(await loadVersions(pool, wanted), wanted);
    }
    if (stale.allAdaptors || adaptors.size > 0) {
      const wanted = stale.allAdaptors ? undefined : [...adaptors];
      enabledAdaptors = catalog.putAdaptors(await loadAdaptors(pool, wanted), wanted);
    }
    if (stale.acls) governance = compileChains(await loadAclEntries(pool));
    if (isOperational) operational = compileOperationalChain(await loadOperationalEntries(pool));
    const unblocked = { versions: changedVersions ?? [], adaptors: enabledAdaptors ?? [], operational: isOperational };
    if (unblocked.versions.length + unblocked.adaptors.length === 0 && !isOperational) return;
    for (const listener of unblockedListeners) listener(unblocked);
  };

  const reload = async (parts: Partial<StaleParts>): Promise<void> => {
    await inTurn(() => loadStale({ ...nothingStale(), ...parts }));
    changed();
  };

  // before the reader exists: a change that arrives twice is taken once
  let taken: TakenChanges = { upTo: await loadLogHead(pool), beyond: new Set() };

  const take = async (changes: readonly CatalogChange[]): Promise<void> => {
    let news: readonly CatalogChange[] = [];
    await inTurn(async () => {
      news = changes.filter(({ position }) => !isTaken(taken, position));
      if (news.length === 0) return;
      await loadStale(findStale(news));
      taken = withTaken(
        taken,
        news.map(({ position }) => position),
      );
    });
    if (news.length === 0) return;
    changed();
    if (!news.some(({ resourceType, action }) => resourceType === 'Adaptor' && action === 'DELETE')) return;
    for (const listener of deletionListeners) listener();
  };

  const reader = await openChangeLogReader({
    database,
    from: 'now',
    resourceTypes: relevantTypes,
    log,
    onChanges: async (changes) => {
      await take(changes);
      taken = advanceTaken(taken, changes.at(-1)?.position ?? taken.upTo);
    },
  });
  try {
    // once the reader exists: it delivers every change from here on
    await reload({ allAdaptors: true, allVersions: true, acls: true, operational: true });
  } catch (error) {
    await reader.close();
    throw error;
  }

  return {
    catalog,
    get governance() {
      return governance;
    },
    get operational() {
      return operational;
    },
    get taken() {
      return taken;
    },
    take,
    catchUp: async () => take(await loadCatalogChanges(pool, taken.upTo)),
    findVersion: async (domainName, versionNumber) => {
      const known = catalog.version(domainName, versionNumber);
      // a name that cannot be stored is the name of nothing, and cannot be asked for
      if (known !== undefined || !isStorableText(domainName)) return known;
      const domains = new Set(await findDomains(pool, [domainName]));
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
      const domains = domainNames.length === 0 ? [] : await findDomains(pool, domainNames);
      if (adaptorUuids.length + domains.length === 0) return;
      await reload({ adaptors: new Set(adaptorUuids), domains: new Set(domains) });
    },
    onChanged: (listener) => {
      listeners.push(listener);
    },
    onUnblocked: (listener) => {
      unblockedListeners.push(listener);
    },
    onAdaptorDeleted: (listener) => {
      deletionListeners.push(listener);
    },
    close: async () => {
      await reader.close();
      await last;
    },
  };
};
