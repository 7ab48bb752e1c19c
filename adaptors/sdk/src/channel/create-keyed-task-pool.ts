/** Lets a task rest without its place among the running ones: others run in the meantime. The task's keys stay busy. */
export type Aside = (rest: () => Promise<void>) => Promise<void>;

type Task = (aside: Aside) => Promise<void>;

/**
 * Runs tasks of many keys with one limit for all of them. A task begins when all earlier tasks that share a key with it are
 * done. A task has no result, and a task that has not begun can be dropped.
 */
export interface KeyedTaskPool {
  /** @param keys the key of the task, or several different ones */
  add(keys: string | readonly string[], task: Task): void;
  /** Drops tasks that have not begun; resolves when the running ones are done. */
  halt(): Promise<void>;
}

interface Entry {
  readonly keys: readonly string[];
  readonly task: Task;
  /** The number of its keys of which an earlier task is not done. */
  blocked: number;
}

/** @param concurrency most tasks at the same time, asked for before each task; tasks must not reject */
export const createKeyedTaskPool = (concurrency: number | (() => number)): KeyedTaskPool => {
  const mostTasks = typeof concurrency === 'number' ? () => concurrency : concurrency;
  /** By key, the tasks that are not done, in the order in which they were added. */
  const queues = new Map<string, Entry[]>();
  const ready: Entry[] = [];
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

  const leave = (entry: Entry, key: string): void => {
    const queue = queues.get(key);
    // `halt` dropped the queue
    if (queue?.[0] !== entry) return;
    queue.shift();
    const [head] = queue;
    if (head === undefined) {
      queues.delete(key);
      return;
    }
    head.blocked -= 1;
    if (head.blocked === 0) ready.push(head);
  };
  const begin = (entry: Entry): void => {
    const work = entry.task(aside).finally(() => {
      running -= 1;
      begun.delete(work);
      for (const key of entry.keys) leave(entry, key);
      next();
    });
    begun.add(work);
  };

  const next = (): void => {
    while (running < mostTasks()) {
      const goOn = rested.shift();
      const entry = goOn === undefined ? ready.shift() : undefined;
      if (goOn === undefined && entry === undefined) return;
      running += 1;
      if (entry === undefined) goOn?.();
      else begin(entry);
    }
  };

  return {
    add: (keys, task) => {
      const entry: Entry = { keys: typeof keys === 'string' ? [keys] : keys, task, blocked: 0 };
      for (const key of entry.keys) {
        const queue = queues.get(key);
        if (queue === undefined) queues.set(key, [entry]);
        else if (queue.push(entry) > 1) entry.blocked += 1;
      }
      if (entry.blocked === 0) ready.push(entry);
      next();
    },
    halt: async () => {
      queues.clear();
      ready.length = 0;
      while (begun.size > 0) await Promise.allSettled(begun);
    },
  };
};
