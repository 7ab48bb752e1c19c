/** Map of at most so many entries; the one used longest ago makes room. */
export interface BoundedCache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/** @param maxEntries at least 1 */
export const createBoundedCache = <Key, Value>(maxEntries: number): BoundedCache<Key, Value> => {
  const entries = new Map<Key, Value>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value !== undefined) {
        // a Map keeps the order of insertion: the front is what was used longest ago
        entries.delete(key);
        entries.set(key, value);
      }
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value as Key);
    },
    delete: (key) => {
      entries.delete(key);
    },
    clear: () => entries.clear(),
  };
};
