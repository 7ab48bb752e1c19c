import type { Database } from '@fds/database';
import { loadActiveAclEntries } from '@fds/owned-tables';
import { compileAdaptors, type GovernedAdaptors } from '../domain/governed-adaptors.js';
import { capableAdaptors } from '../store/source-store.js';
import { createVersionStore, type AssembledVersion, type VersionStore } from '../store/version-store.js';

/** Facts of the catalog that the planning of a request needs. */
export interface CatalogFacts extends VersionStore {
  /** The adaptors that may be asked about a version for a zone, and the chains that govern them. */
  adaptorsFor(version: AssembledVersion, askingZoneUuid: string): Promise<GovernedAdaptors>;
}

/** Reads the facts from the database every time. */
export const createCatalogFacts = (database: Pick<Database, 'reads'>): CatalogFacts => ({
  ...createVersionStore(database),
  adaptorsFor: async (version, askingZoneUuid) => {
    const capable = await capableAdaptors(database, version, askingZoneUuid);
    const zones = new Set([askingZoneUuid, ...capable.map(({ zoneUuid }) => zoneUuid)]);
    const entries = await loadActiveAclEntries(database.reads, [...zones]);
    return compileAdaptors(
      capable,
      entries.filter(({ get }) => get !== null),
    );
  },
});
