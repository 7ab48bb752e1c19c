import type { AdaptorOptions } from './adaptor-options.js';
import type { StopReason } from './adaptor.js';
import { startAdaptor } from './start-adaptor.js';

export interface RunOptions extends AdaptorOptions {
  /**
   * Maximum time of a stop, in milliseconds. Then the process ends without waiting for its handlers. Default 15 000.
   */
  readonly stopDeadlineMs?: number;
}

const defaultStopDeadlineMs = 15_000;

/** A supervisor must not restart a superseded process: the two processes would keep taking over from each other. */
const supersededExitCode = 4;

/** The exit code when the handlers have not returned by the deadline. */
const exitCodeAtDeadline = (reason: StopReason): number => (reason === 'SUPERSEDED' ? supersededExitCode : 1);

/**
 * Runs an adaptor as a program. SIGINT and SIGTERM stop it, also during the start. A second signal of the same kind
 * ends the process at once. If the start fails, the error is printed and the exit code is 1.
 *
 * If a stop takes longer than the deadline, the process exits with 1, for every reason of a stop: a source that does
 * not answer must not keep the process alive, and unfinished events are delivered again. If another process with the
 * same credentials has taken over, the exit code is 4, also at the deadline.
 *
 * @returns when the adaptor has stopped, or could not start
 */
export const runAdaptor = async ({ stopDeadlineMs = defaultStopDeadlineMs, ...options }: RunOptions): Promise<void> => {
  const exitAtDeadline = (code: number): NodeJS.Timeout => setTimeout(() => process.exit(code), stopDeadlineMs);
  try {
    const starting = startAdaptor(options);
    const stop = async (): Promise<void> => {
      exitAtDeadline(1).unref(); // if the start hangs, no stop has begun
      const adaptor = await starting;
      await adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
    };
    // The catch below handles a failed start.
    const stopOnSignal = (): void => void stop().catch(() => undefined);
    // Registered before the start ends: the adaptor reports STARTED a moment earlier, and a supervisor may stop it at
    // once.
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
