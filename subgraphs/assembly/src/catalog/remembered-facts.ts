import { LRUCache } from 'lru-cache';
import { weightOf, type GovernedAdaptors } from '../domain/governed-adaptors.js';
import type { AssembledVersion } from '../store/version-store.js';
import type { CatalogFacts } from './catalog-facts.js';

const maxVersions = 1_000;
/** Adaptors, entries of chains and records in entries, over all versions and zones. */
const maxWeight = 200_000;

/** Reads each fact once. Facts that do not exist are read every time. */
export const rememberFacts = (facts: CatalogFacts): CatalogFacts => {
  // a fact that is evicted while it is read is still returned to the callers that wait for it
  const options = { ignoreFetchAbort: true } as const;
  const byName = new LRUCache<string, AssembledVersion, { readonly name: string; readonly number: number }>({
    ...options,
    max: maxVersions,
    fetchMethod: (_key, _stale, { context: { name, number } }) => facts.byName(name, number),
  });
  const byUuid = new LRUCache<string, AssembledVersion>({
    ...options,
    max: maxVersions,
    fetchMethod: (uuid) => facts.byUuid(uuid),
  });
  const adaptors = new LRUCache<
    string,
    GovernedAdaptors,
    { readonly version: AssembledVersion; readonly zone: string }
  >({
    ...options,
    maxSize: maxWeight,
    sizeCalculation: weightOf,
    fetchMethod: (_key, _stale, { context: { version, zone } }) => facts.adaptorsFor(version, zone),
  });

  return {
    byName: (name, number) => byName.fetch(`${number} ${name}`, { context: { name, number } }),
    byUuid: (uuid) => byUuid.fetch(uuid),
    adaptorsFor: async (version, zone) =>
      (await adaptors.fetch(`${version.domainVersionUuid} ${zone}`, { context: { version, zone } })) ??
      facts.adaptorsFor(version, zone),
  };
};
