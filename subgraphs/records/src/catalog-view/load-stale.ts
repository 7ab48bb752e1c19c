import type { SqlSession } from '@fds/database';
import {
  compileChains,
  compileOperationalChain,
  type GovernanceRules,
  type OperationalRules,
} from '@fds/governance-rules';
import { loadAclEntries, loadOperationalEntries } from '@fds/owned-tables';
import { loadAdaptors, loadDomainsOf, loadVersions } from './store/load-catalog.js';
import type { UnblockingChange } from './catalog-listeners.js';
import type { CatalogTables } from './catalog-tables.js';
import type { StaleParts } from './stale-parts.js';

/** Everything that a catalog view has loaded. */
export interface LoadedCatalog {
  readonly catalog: CatalogTables;
  governance: GovernanceRules;
  operational: OperationalRules;
}

/** @returns the versions that are new or have changed */
const loadStaleVersions = async (
  session: SqlSession,
  catalog: CatalogTables,
  { allVersions, domains, versions }: StaleParts,
): Promise<readonly string[]> => {
  if (!allVersions && domains.size + versions.size === 0) return [];
  const ofVersions = allVersions ? [] : await loadDomainsOf(session, [...versions]);
  const wanted = allVersions ? undefined : [...new Set([...domains, ...ofVersions])];
  return catalog.putVersions(await loadVersions(session, wanted), wanted);
};

/** @returns the adaptors that are new or may do more than before */
const loadStaleAdaptors = async (
  session: SqlSession,
  catalog: CatalogTables,
  { allAdaptors, adaptors }: StaleParts,
): Promise<readonly string[]> => {
  if (!allAdaptors && adaptors.size === 0) return [];
  const wanted = allAdaptors ? undefined : [...adaptors];
  return catalog.putAdaptors(await loadAdaptors(session, wanted), wanted);
};

/** Loads the stale parts again. @returns the resources that events may have waited for */
export const loadStale = async (
  session: SqlSession,
  loaded: LoadedCatalog,
  stale: StaleParts,
): Promise<UnblockingChange> => {
  const versions = await loadStaleVersions(session, loaded.catalog, stale);
  const adaptors = await loadStaleAdaptors(session, loaded.catalog, stale);
  if (stale.acls) loaded.governance = compileChains(await loadAclEntries(session));
  if (stale.operational) loaded.operational = compileOperationalChain(await loadOperationalEntries(session));
  return { versions, adaptors, operational: stale.operational };
};
