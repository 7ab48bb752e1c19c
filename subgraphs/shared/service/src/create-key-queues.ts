/** Runs the tasks of one key one after another, those of different keys at the same time. */
export interface KeyQueues {
  /** Begins at once when the key's queue is empty. Settles as the task does; a failure holds up nothing that follows. */
  run<T>(key: string, task: () => Promise<T> | T): Promise<T>;
  /** Resolves when every queue is empty. */
  settle(): Promise<void>;
}

export const createKeyQueues = (): KeyQueues => {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run: <T>(key: string, task: () => Promise<T> | T) => {
      const tail = tails.get(key);
      const start = async (): Promise<T> => task();
      const turn = tail === undefined ? start() : tail.then(start);
      const next: Promise<unknown> = turn
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === next) tails.delete(key);
        });
      tails.set(key, next);
      return turn;
    },
    settle: async () => {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
};
