// fds-database-adaptor: configured by environment variables or adaptor.properties, see the README.
import { runAdaptor, runProgram } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfiguration } from './check/check-configuration.js';
import { createDatabaseHandlers } from './database-handlers.js';
import type { StateStore } from './state/adaptor-state.js';
import { openFileStore } from './state/open-file-store.js';

const run = async (): Promise<void> => {
  let state: StateStore | undefined;
  try {
    await runAdaptor({
      handlers: (running) => {
        const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
        mkdirSync(dataDirectory, { recursive: true });
        state = openFileStore(join(dataDirectory, 'database-adaptor.sqlite'));
        return createDatabaseHandlers(running, state);
      },
    });
  } finally {
    await state?.close();
  }
};

await runProgram({
  name: 'fds-database-adaptor',
  purpose: 'Exchanges the rows of database tables with a Federated Data Service.',
  check: async (configuration) => {
    const { tables, warnings, examples } = await checkConfiguration(configuration);
    return [
      `the configuration is valid: ${tables.join(', ')}`,
      ...warnings.map((warning) => `warning: ${warning}`),
      ...examples,
    ].join('\n');
  },
  run,
});
