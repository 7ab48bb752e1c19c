import type { Log } from '@fds/service';

/** Work that is done now and then, never twice at once. */
export interface Repetition {
  /** Resolves when nothing is under way; nothing begins any more. */
  close(): Promise<void>;
}

/** @param intervalMs between two beginnings; a failure is logged and the work done again next time */
export const repeatEvery = (intervalMs: number, work: () => Promise<void>, log: Log): Repetition => {
  let under: Promise<void> | undefined;
  const timer = setInterval(() => {
    under ??= work()
      .catch((error: unknown) => log.warn({ err: error }, 'adaptors could not be looked after'))
      .finally(() => {
        under = undefined;
      });
  }, intervalMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await under;
    },
  };
};
