// fds-database-adaptor: configured by environment variables or adaptor.properties, see the README.
import { startAdaptor } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabaseHandlers } from './database-handlers.js';
import { openAdaptorState, type AdaptorState } from './state/adaptor-state.js';

const stopDeadlineMs = 15_000;

let state: AdaptorState | undefined;
try {
  const adaptor = await startAdaptor({
    handlers: (running) => {
      const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
      mkdirSync(dataDirectory, { recursive: true });
      state = openAdaptorState(join(dataDirectory, 'database-adaptor.sqlite'));
      return createDatabaseHandlers(running, state);
    },
  });
  const stop = (): void => {
    // a source that does not answer must not keep the process: what was not finished comes again
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    adaptor.stop().catch((error: unknown) => adaptor.log.error({ err: error }, 'the stop failed'));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  await adaptor.stopped;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  state?.close();
}
