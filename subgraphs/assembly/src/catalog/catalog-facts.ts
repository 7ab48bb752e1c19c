import type { Database } from '@fds/database';
import { compileAdaptors, type GovernedAdaptors } from '../domain/governed-adaptors.js';
import { aclEntriesOf } from '../store/governance-store.js';
import { capableAdaptors } from '../store/source-store.js';
import { createVersionStore, type AssembledVersion, type VersionStore } from '../store/version-store.js';

/** Facts of the catalog that a request is planned by. */
export interface CatalogFacts extends VersionStore {
  /** The adaptors that may be asked for a version on behalf of a zone, and the chains that govern them. */
  adaptorsFor(version: AssembledVersion, askingZoneUuid: string): Promise<GovernedAdaptors>;
}

/** Reads the facts from the database each time. */
export const createCatalogFacts = (database: Pick<Database, 'reads'>): CatalogFacts => ({
  ...createVersionStore(database),
  adaptorsFor: async (version, askingZoneUuid) => {
    const capable = version.domainType === 'FEDERATED' ? await capableAdaptors(database, version, askingZoneUuid) : [];
    const zones = new Set([askingZoneUuid, ...capable.map(({ zoneUuid }) => zoneUuid)]);
    return compileAdaptors(capable, await aclEntriesOf(database, [...zones]));
  },
});
