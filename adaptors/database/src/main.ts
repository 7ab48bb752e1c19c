// fds-database-adaptor: configured by environment variables or adaptor.properties, see the README.
import { startAdaptor } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabaseHandlers } from './database-handlers.js';
import { openAdaptorState, type AdaptorState } from './state/adaptor-state.js';

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
    void adaptor.stop();
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
