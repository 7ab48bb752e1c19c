import type { Location, Scheme } from '../uris/location.js';
import { createLocalStorage } from './local/local-storage.js';
import type { Storage } from './storage.js';

/** The storages of all schemes. */
export interface Storages {
  of(location: Location): Storage;
  close(): Promise<void>;
}

export const openStorages = (): Storages => {
  const storages: Readonly<Record<Scheme, Storage>> = { file: createLocalStorage(), s3: createLocalStorage() };
  return {
    of: ({ scheme }) => storages[scheme],
    close: async () => {
      await Promise.all(Object.values(storages).map((storage) => storage.close()));
    },
  };
};
