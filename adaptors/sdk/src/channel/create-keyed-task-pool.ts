/** Lets a task rest without its place among the running ones: others run in the meantime. The task's key stays busy. */
export type Aside = (rest: () => Promise<void>) => Promise<void>;

/**
 * Runs tasks of many keys with one limit for all of them: those of one key one after the other. A task has no result, and
 * a task that has not begun can be dropped.
 */
export interface KeyedTaskPool {
  add(key: string, task: (aside: Aside) => Promise<void>): void;
  /** Drops tasks that have not begun; resolves when the running ones are done. */
  halt(): Promise<void>;
}

type Task = (aside: Aside) => Promise<void>;

/** @param concurrency most tasks at the same time; tasks must not reject */
export const createKeyedTaskPool = (concurrency: number): KeyedTaskPool => {
  const waiting = new Map<string, Task[]>();
  const busyKeys = new Set<string>();
  const ready: string[] = [];
  /** Tasks that have rested and go on before new ones begin. */
  const rested: (() => void)[] = [];
  const begun = new Set<Promise<void>>();
  let running = 0;

  const aside: Aside = async (rest) => {
    running -= 1;
    next();
    try {
      await rest();
    } finally {
      await new Promise<void>((resolve) => {
        rested.push(resolve);
        next();
      });
    }
  };

  const begin = (key: string, task: Task): void => {
    const work = task(aside).finally(() => {
      running -= 1;
      begun.delete(work);
      ready.push(key);
      next();
    });
    begun.add(work);
  };

  const next = (): void => {
    while (running < concurrency) {
      const goOn = rested.shift();
      if (goOn !== undefined) {
        running += 1;
        goOn();
        continue;
      }
      const key = ready.shift();
      if (key === undefined) return;
      const task = waiting.get(key)?.shift();
      if (task === undefined) {
        waiting.delete(key);
        busyKeys.delete(key);
        continue;
      }
      running += 1;
      begin(key, task);
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
      while (begun.size > 0) await Promise.allSettled(begun);
    },
  };
};
