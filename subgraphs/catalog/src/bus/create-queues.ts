/** Work of one key one after the other, of different keys at the same time. */
export interface Queues {
  /** Settles as the work does. A failure holds up nothing that follows. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export const createQueues = (): Queues => {
  const last = new Map<string, Promise<void>>();
  return {
    run: (key, work) => {
      const result = (last.get(key) ?? Promise.resolve()).then(work);
      const settle = async (): Promise<void> => {
        try {
          await result;
        } catch {
          // whoever asked for the work is told
        }
        if (last.get(key) === settled) last.delete(key);
      };
      const settled = settle();
      last.set(key, settled);
      return result;
    },
    idle: async () => {
      while (last.size > 0) await Promise.all(last.values());
    },
  };
};
