import { LRUCache } from 'lru-cache';

/** Remembers loaded values until a change removes them; a load that runs during the change is removed too. */
export interface LoadCache<Value> {
  /** Neither a failure nor `undefined` is remembered. */
  get(key: string): Promise<Value | undefined>;
  forget(key: string): void;
  forgetAll(): void;
}

/** @param maxEntries the one used longest ago makes room */
export const createLoadCache = <Value>(
  maxEntries: number,
  load: (key: string) => Promise<Value | undefined>,
): LoadCache<Value> => {
  const loads = new LRUCache<string, Promise<Value | undefined>>({ max: maxEntries });
  return {
    get: async (key) => {
      const known = loads.get(key);
      if (known !== undefined) return known;
      const loading = load(key);
      loads.set(key, loading);
      let value: Value | undefined;
      try {
        value = await loading;
        return value;
      } finally {
        if (value === undefined && loads.get(key) === loading) loads.delete(key);
      }
    },
    forget: (key) => {
      loads.delete(key);
    },
    forgetAll: () => loads.clear(),
  };
};
