import { setTimeout as wait } from 'node:timers/promises';
import type { LogAccess } from './log-access.js';
import { LogUnavailable } from './log-unavailable.js';

/** Options of the attempts to open a log that the source does not allow at the moment. */
export interface LogAttempts {
  readonly log: Pick<LogAccess, 'open'>;
  readonly pauseMs: number;
  /** Called before a slot is created. */
  readonly beforeNew: () => Promise<void>;
  /** Called when the source refuses again, perhaps for another reason. */
  readonly onRefusal: (reason: LogUnavailable) => Promise<void>;
}

/** Tries to open the log after each pause. Resolves when the log is open, or the signal is aborted. Never rejects. */
export const untilLogOpens = async (
  { log, pauseMs, beforeNew, onRefusal }: LogAttempts,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    // this only rejects when the signal is aborted
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await log.open(beforeNew);
      return;
    } catch (error) {
      // the scans by time report a source or a state store that is not available
      if (error instanceof LogUnavailable) await onRefusal(error);
    }
  }
};
