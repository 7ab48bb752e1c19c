import { setTimeout as wait } from 'node:timers/promises';

/** Runs work again and again, resting as long as it says, until the signal is aborted. Never rejects by the signal. */
export const repeat = async (signal: AbortSignal, work: () => Promise<number>): Promise<void> => {
  while (!signal.aborted) {
    const restMs = await work();
    // the only rejection is the signal's
    await wait(restMs, undefined, { signal }).catch(() => undefined);
  }
};
