/** Runs the tasks of one key one after another, those of different keys at the same time. */
export interface Lanes {
  /** Begins at once when the lane is free. Rejects as the task does; later tasks run all the same. */
  run(key: string, task: () => Promise<void> | void): Promise<void>;
  /** Waits until every lane is free. */
  settle(): Promise<void>;
}

export const createLanes = (): Lanes => {
  const tails = new Map<string, Promise<void>>();
  return {
    run: (key, task) => {
      const tail = tails.get(key);
      const start = async (): Promise<void> => task();
      const turn = tail === undefined ? start() : tail.then(start);
      const next = turn
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
