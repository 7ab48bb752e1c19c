/** Runs tasks: those of one key one after the other, at most `concurrency` in all. */
export interface Lanes {
  add(key: string, task: () => Promise<void>): void;
  /** Drops what has not begun; resolves when what has begun is done. */
  halt(): Promise<void>;
}

/** @param concurrency most tasks at the same time; tasks must not reject */
export const createLanes = (concurrency: number): Lanes => {
  const waiting = new Map<string, (() => Promise<void>)[]>();
  const busyKeys = new Set<string>();
  const ready: string[] = [];
  const running = new Set<Promise<void>>();

  const next = (): void => {
    while (running.size < concurrency) {
      const key = ready.shift();
      if (key === undefined) return;
      const task = waiting.get(key)?.shift();
      if (task === undefined) {
        waiting.delete(key);
        busyKeys.delete(key);
        continue;
      }
      const work = task().finally(() => {
        running.delete(work);
        ready.push(key);
        next();
      });
      running.add(work);
    }
  };

  return {
    add: (key, task) => {
      const queue = waiting.get(key);
      if (queue === undefined) waiting.set(key, [task]);
      else queue.push(task);
      if (!busyKeys.has(key)) {
        busyKeys.add(key);
        ready.push(key);
      }
      next();
    },
    halt: async () => {
      waiting.clear();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
};
