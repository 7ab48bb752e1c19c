import { formatLocation, type Location, type Scheme } from '../uris/location.js';
import { createLocalStorage } from './local/local-storage.js';
import type { FolderLog } from './folder-log.js';
import type { Storage } from './storage.js';
import { StorageFault } from './storage-fault.js';

/** The storages of all schemes. */
export interface Storages {
  /** @throws StorageFault UNFIT when the adaptor has no access to the storage */
  of(location: Location): Storage;
  close(): Promise<void>;
}

/**
 * @param s3 undefined: the adaptor has no access to an object storage
 * @param folders undefined: the folders that are made are not remembered, so none is removed
 */
export const openStorages = (s3: Storage | undefined, folders?: FolderLog): Storages => {
  const storages: Readonly<Record<Scheme, Storage | undefined>> = {
    file: createLocalStorage(folders),
    s3,
  };
  return {
    of: (location) => {
      const storage = storages[location.scheme];
      if (storage !== undefined) return storage;
      throw new StorageFault(
        'UNFIT',
        `${formatLocation(location)} needs CLOUD_REGION, CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY`,
      );
    },
    close: async () => {
      await Promise.all(Object.values(storages).flatMap((storage) => (storage === undefined ? [] : [storage.close()])));
    },
  };
};
