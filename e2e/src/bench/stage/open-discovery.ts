import { discoveredVersion } from './discovered-table.js';
import { type BareAdaptor, openBareAdaptor } from './open-bare-adaptor.js';

/**
 * A database adaptor that reads the table of discovered-table.ts.
 *
 * @param from number of the first event that the hub reports
 */
export const openDiscovery = (metadata: object, from: number): Promise<BareAdaptor> =>
  openBareAdaptor({ script: 'adaptors/database/dist/main.js', metadata, domainVersion: discoveredVersion, from });
