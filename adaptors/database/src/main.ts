// fds-database-adaptor: configured by environment variables or adaptor.properties, see the README.
import { runAdaptor } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabaseHandlers } from './database-handlers.js';
import { runCheck } from './check/run-check.js';
import type { StateStore } from './state/adaptor-state.js';
import { openFileStore } from './state/open-file-store.js';

/** `--check`: prints the faults, or that there are none, and ends the process. */
const check = async (): Promise<never> => {
  process.env['PORT'] = '0'; // another adaptor may use the port of the health endpoint
  const { code, text } = await runCheck();
  (code === 0 ? console.log : console.error)(text);
  process.exit(code);
};

let state: StateStore | undefined;
try {
  if (process.argv.includes('--check')) await check();
  await runAdaptor({
    handlers: (running) => {
      const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
      mkdirSync(dataDirectory, { recursive: true });
      state = openFileStore(join(dataDirectory, 'database-adaptor.sqlite'));
      return createDatabaseHandlers(running, state);
    },
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await state?.close();
}
