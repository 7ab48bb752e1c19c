import type { Log } from '@fds/service';

/**
 * Prevents slow work from occupying the places of other work. Work that takes longer than the patience continues in the
 * slow pool, and `run` returns. If the slow pool is full, `run` waits for the work. Work that starts while more than
 * half of the places are taken has the short patience, so that many slow receivers do not delay the others.
 */
export interface SlowPool {
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when the slow pool is empty. */
  settle(): Promise<void>;
}

export interface SlowPoolOptions {
  /** Places of the slow pool. */
  readonly slowReceivers: number;
  /** Calls of `run` that the caller makes at the same time. */
  readonly places: number;
  readonly patienceMs: number;
  readonly shortPatienceMs: number;
  readonly log: Log;
}

export const createSlowPool = (options: SlowPoolOptions): SlowPool => {
  const { slowReceivers, places, patienceMs, shortPatienceMs, log } = options;
  let taken = 0;
  const slow = new Set<Promise<void>>();

  const goOn = (working: Promise<void>): void => {
    const entry = working
      .catch((error: unknown) => log.warn({ err: error }, 'messages could not be delivered'))
      .finally(() => slow.delete(entry));
    slow.add(entry);
  };

  return {
    run: async (work) => {
      taken += 1;
      const isCrowded = taken > places / 2;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<'slow'>((resolve) => {
        timer = setTimeout(() => resolve('slow'), isCrowded ? shortPatienceMs : patienceMs);
      });
      try {
        const working = work();
        const first = await Promise.race([working, patience]);
        if (first !== 'slow') return;
        if (slow.size >= slowReceivers) await working;
        else goOn(working);
      } finally {
        clearTimeout(timer);
        taken -= 1;
      }
    },
    settle: async () => {
      while (slow.size > 0) await Promise.all(slow);
    },
  };
};
