/** Shares a number of places among callers. A caller never has more than its share, and callers take turns. */
export interface FairQueue {
  /**
   * Runs a task when a place is free. Waiting callers take turns, regardless of how many tasks each one has. Tasks of one
   * caller start in order.
   *
   * @param signal ends the wait
   * @throws QueueFull when the caller has too many tasks waiting, or waits too long; the signal's reason when it is aborted
   */
  run<T>(caller: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly places: number;
  /** Tasks of one caller that run at once. */
  readonly placesPerCaller: number;
  /** Tasks of one caller that wait. */
  readonly waitingPerCaller: number;
  /** Longest wait of a task, in milliseconds. */
  readonly maxWaitMs: number;
}

/** There is no place for another task of the caller. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

interface Waiting {
  readonly start: () => void;
}

interface Caller {
  running: number;
  readonly waiting: Waiting[];
}

export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { places, placesPerCaller, waitingPerCaller, maxWaitMs } = options;
  /** Callers with tasks, in the order of their turns. A caller that had its turn moves to the end. */
  const callers = new Map<string, Caller>();
  let running = 0;
  /** Tasks of all callers that wait. */
  let waitingTasks = 0;

  const callerOf = (name: string): Caller => {
    const known = callers.get(name);
    if (known !== undefined) return known;
    const caller: Caller = { running: 0, waiting: [] };
    callers.set(name, caller);
    return caller;
  };

  const forget = (name: string, { running: own, waiting }: Caller): void => {
    if (own === 0 && waiting.length === 0) callers.delete(name);
  };

  /** Gives a place to a caller, whose turn is over with it. */
  const take = (name: string, caller: Caller): void => {
    callers.delete(name);
    callers.set(name, caller);
    running += 1;
    caller.running += 1;
  };

  /** The caller whose turn it is, if there is a place for it. */
  const nextCaller = (): [string, Caller] | undefined => {
    if (waitingTasks === 0 || running >= places) return undefined;
    for (const entry of callers) {
      const [, { running: own, waiting }] = entry;
      if (waiting.length > 0 && own < placesPerCaller) return entry;
    }
    return undefined;
  };

  const startNext = (): void => {
    for (let next = nextCaller(); next !== undefined; next = nextCaller()) {
      take(...next);
      waitingTasks -= 1;
      next[1].waiting.shift()?.start();
    }
  };

  const isFree = (name: string): boolean => {
    const { running: own = 0, waiting = [] } = callers.get(name) ?? {};
    return running < places && own < placesPerCaller && waiting.length === 0;
  };

  const wait = (name: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if ((callers.get(name)?.waiting.length ?? 0) >= waitingPerCaller) {
        throw new QueueFull(`${waitingPerCaller} tasks wait`);
      }
      const caller = callerOf(name);
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const giveUp = (reason: unknown): void => {
        end();
        caller.waiting.splice(caller.waiting.indexOf(entry), 1);
        waitingTasks -= 1;
        forget(name, caller);
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
      const leave = (): void => giveUp(signal?.reason);
      const entry: Waiting = {
        start: () => {
          end();
          resolve();
        },
      };
      const timer = setTimeout(() => giveUp(new QueueFull(`no place within ${maxWaitMs} ms`)), maxWaitMs);
      timer.unref();
      signal?.addEventListener('abort', leave, { once: true });
      caller.waiting.push(entry);
      waitingTasks += 1;
      startNext();
    });

  return {
    run: async (name, task, signal) => {
      signal?.throwIfAborted();
      // without a wait: no timer and no listener
      if (isFree(name)) take(name, callerOf(name));
      else await wait(name, signal);
      try {
        return await task();
      } finally {
        const caller = callerOf(name);
        caller.running -= 1;
        running -= 1;
        forget(name, caller);
        startNext();
      }
    },
  };
};
