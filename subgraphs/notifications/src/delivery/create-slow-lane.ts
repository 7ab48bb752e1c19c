import type { Log } from '@fds/service';

/**
 * Keeps slow work from taking the places of other work. Work that takes longer than the patience continues in the slow lane, and
 * `run` returns; where the slow lane is full, `run` waits for the work.
 */
export interface SlowLane {
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when no work is in the slow lane. */
  settle(): Promise<void>;
}

export interface SlowLaneOptions {
  /** Places of the slow lane. */
  readonly slowReceivers: number;
  readonly patienceMs: number;
  readonly log: Log;
}

export const createSlowLane = ({ slowReceivers, patienceMs, log }: SlowLaneOptions): SlowLane => {
  const slow = new Set<Promise<void>>();

  const goOn = (working: Promise<void>): void => {
    const entry = working
      .catch((error: unknown) => log.warn({ err: error }, 'messages could not be delivered'))
      .finally(() => slow.delete(entry));
    slow.add(entry);
  };

  return {
    run: async (work) => {
      const working = work();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<'slow'>((resolve) => {
        timer = setTimeout(() => resolve('slow'), patienceMs);
      });
      try {
        const first = await Promise.race([working, patience]);
        if (first !== 'slow') return;
        if (slow.size >= slowReceivers) await working;
        else goOn(working);
      } finally {
        clearTimeout(timer);
      }
    },
    settle: async () => {
      while (slow.size > 0) await Promise.all(slow);
    },
  };
};
