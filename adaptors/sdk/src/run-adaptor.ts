import { type AdaptorOptions, startAdaptor } from './start-adaptor.js';

const stopDeadlineMs = 15_000;

/**
 * Runs an adaptor as a program. SIGINT and SIGTERM stop it. A start that fails is printed, and the exit code is 1. A stop that
 * takes longer than 15 seconds ends the process with 1: a source that does not answer must not keep it, and unfinished
 * events come again.
 *
 * @returns when the adaptor has stopped, or could not start
 */
export const runAdaptor = async (options: AdaptorOptions): Promise<void> => {
  try {
    const adaptor = await startAdaptor(options);
    const stop = (): void => {
      setTimeout(() => process.exit(1), stopDeadlineMs).unref();
      adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    await adaptor.stopped;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
};
