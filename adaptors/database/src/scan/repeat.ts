import { setTimeout as wait } from 'node:timers/promises';

/**
 * Repeats the work until the signal is aborted. The work returns the length of the pause. Never rejects because of the
 * signal.
 */
export const repeat = async (signal: AbortSignal, work: () => Promise<number>): Promise<void> => {
  while (!signal.aborted) {
    const restMs = await work();
    // this only rejects when the signal is aborted
    await wait(restMs, undefined, { signal }).catch(() => undefined);
  }
};
