// fds-temporal-adaptor: configured by environment variables or adaptor.properties, see the README.
import { runAdaptor, runProgram } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseTemporalMetadata } from './configuration/temporal-metadata.js';
import { createTemporalHandlers } from './temporal-handlers.js';

await runProgram({
  name: 'fds-temporal-adaptor',
  purpose: 'Keeps the versions of records of a Federated Data Service, and answers searches for times of the past.',
  check: ({ metadata }) => {
    parseTemporalMetadata(metadata);
    return 'the metadata is valid';
  },
  run: () =>
    runAdaptor({
      handlers: (running) => {
        const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
        mkdirSync(dataDirectory, { recursive: true });
        return createTemporalHandlers(running, { file: join(dataDirectory, 'temporal-adaptor.sqlite'), now: Date.now });
      },
    }),
});
