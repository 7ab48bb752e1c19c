import { type AdaptorOptions, startAdaptor } from './start-adaptor.js';

const stopDeadlineMs = 15_000;

/** Another process with the same credentials has taken over: a supervisor that starts this one again would fight it. */
const supersededExitCode = 4;

/**
 * Runs an adaptor as a program. SIGINT and SIGTERM stop it, also during the start; the same signal again ends the process
 * at once. A start that fails is printed, and the exit code is 1. A stop that
 * takes longer than 15 seconds ends the process with 1: a source that does not answer must not keep it, and unfinished
 * events come again.
 *
 * When another process with the same credentials takes over, the exit code is 4.
 *
 * @returns when the adaptor has stopped, or could not start
 */
export const runAdaptor = async (options: AdaptorOptions): Promise<void> => {
  try {
    const starting = startAdaptor(options);
    const stop = async (): Promise<void> => {
      setTimeout(() => process.exit(1), stopDeadlineMs).unref();
      const adaptor = await starting;
      await adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
    };
    // The catch below handles a start that fails.
    const stopOnSignal = (): void => void stop().catch(() => undefined);
    // Before the start ends: the adaptor reports STARTED a moment earlier, and a supervisor may stop it at once.
    process.once('SIGINT', stopOnSignal);
    process.once('SIGTERM', stopOnSignal);
    const adaptor = await starting;
    if ((await adaptor.stopped) === 'SUPERSEDED') process.exitCode = supersededExitCode;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
};
