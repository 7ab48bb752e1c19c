import type { Storages } from '../storage/open-storages.js';
import { StorageFault } from '../storage/storage-fault.js';
import type { Location } from '../uris/location.js';
import { ConfigurationFault, type FileSystemMetadata } from './file-system-metadata.js';

const locationsOf = (metadata: FileSystemMetadata): readonly Location[] =>
  metadata.type === 'source'
    ? metadata.paths.flatMap(({ uri, baseIntermediateUri }) =>
        baseIntermediateUri === undefined ? [uri] : [uri, baseIntermediateUri],
      )
    : [
        ...metadata.sourceUris,
        ...metadata.destinations.flatMap(({ destinations }) => destinations.map(({ baseUri }) => baseUri)),
      ];

/**
 * Checks that the adaptor has access to the storages of the metadata.
 *
 * @throws ConfigurationFault with every fault
 */
export const checkStorages = (metadata: FileSystemMetadata, storages: Pick<Storages, 'of'>): void => {
  const faults = locationsOf(metadata).flatMap((location) => {
    try {
      storages.of(location);
      return [];
    } catch (error) {
      if (error instanceof StorageFault) return [error.message];
      throw error;
    }
  });
  if (faults.length > 0) throw new ConfigurationFault([...new Set(faults)]);
};
