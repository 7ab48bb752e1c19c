import type { Closable } from './lifetime.js';
import type { Log } from './log.js';

export interface RepeatOptions {
  /** Time between two beginnings, in milliseconds. A beginning is left out while the work still runs. */
  readonly intervalMs: number;
  readonly work: () => Promise<unknown>;
  readonly log: Log;
  /** Message of the warning that is logged when the work fails. It is done again at the next beginning. */
  readonly onFailure: string;
}

/** Does work again and again until it is closed, never twice at once. Closing waits for work that runs. */
export const repeatEvery = ({ intervalMs, work, log, onFailure }: RepeatOptions): Closable => {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, onFailure);
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= run();
  }, intervalMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
