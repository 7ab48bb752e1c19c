import { setTimeout as wait } from 'node:timers/promises';
import type { LogAccess } from './log-access.js';
import { LogUnavailable } from './log-unavailable.js';

/** An attempt to open a log that the source does not allow at the moment. */
export interface LogAttempts {
  readonly log: Pick<LogAccess, 'open'>;
  readonly pauseMs: number;
  /** Called before a slot is made. */
  readonly beforeNew: () => Promise<void>;
  /** The source still refuses, perhaps for another reason. */
  readonly onRefusal: (reason: LogUnavailable) => Promise<void>;
}

/** Tries to open the log after each pause. Resolves when it is open, or the signal is aborted. Never rejects. */
export const untilLogOpens = async (
  { log, pauseMs, beforeNew, onRefusal }: LogAttempts,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    // the only rejection is the signal's
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await log.open(beforeNew);
      return;
    } catch (error) {
      // the scans by time report a source or a state store that is away
      if (error instanceof LogUnavailable) await onRefusal(error);
    }
  }
};
