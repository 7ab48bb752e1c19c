/** Work that may not run at once. */
export interface Turns {
  /** Runs the work when all earlier work of the key has ended. @throws what the work throws */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return {
    take: async (key, work) => {
      const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
};
