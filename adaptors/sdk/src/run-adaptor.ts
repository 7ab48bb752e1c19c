import type { AdaptorOptions } from './adaptor-options.js';
import type { StopReason } from './adaptor.js';
import { startAdaptor } from './start-adaptor.js';

export interface RunOptions extends AdaptorOptions {
  /** Longest time for a stop, in milliseconds. Then the process ends without its handlers. Default 15 000. */
  readonly stopDeadlineMs?: number;
}

const defaultStopDeadlineMs = 15_000;

/** A supervisor that starts a superseded process again would fight the process that has taken over. */
const supersededExitCode = 4;

/** The exit code when the handlers have not returned by the deadline. */
const exitCodeAtDeadline = (reason: StopReason): number => (reason === 'SUPERSEDED' ? supersededExitCode : 1);

/**
 * Runs an adaptor as a program. SIGINT and SIGTERM stop it, also during the start; the same signal again ends the process
 * at once. A start that fails is printed, and the exit code is 1.
 *
 * A stop that takes longer than the deadline ends the process with 1, for every reason of a stop: a source that does
 * not answer must not keep it, and unfinished events come again. When another process with the same credentials has taken
 * over, the exit code is 4, also at the deadline.
 *
 * @returns when the adaptor has stopped, or could not start
 */
export const runAdaptor = async ({ stopDeadlineMs = defaultStopDeadlineMs, ...options }: RunOptions): Promise<void> => {
  const exitAtDeadline = (code: number): NodeJS.Timeout => setTimeout(() => process.exit(code), stopDeadlineMs);
  try {
    const starting = startAdaptor(options);
    const stop = async (): Promise<void> => {
      exitAtDeadline(1).unref(); // a start that does not end has begun no stop
      const adaptor = await starting;
      await adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
    };
    // The catch below handles a start that fails.
    const stopOnSignal = (): void => void stop().catch(() => undefined);
    // Before the start ends: the adaptor reports STARTED a moment earlier, and a supervisor may stop it at once.
    process.once('SIGINT', stopOnSignal);
    process.once('SIGTERM', stopOnSignal);
    const adaptor = await starting;
    const deadline = exitAtDeadline(exitCodeAtDeadline(await adaptor.stopping));
    if ((await adaptor.stopped) === 'SUPERSEDED') process.exitCode = supersededExitCode;
    deadline.unref();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
};
