// fds-temporal-adaptor: configured by environment variables or adaptor.properties, see the README.
import { runAdaptor } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporalHandlers } from './temporal-handlers.js';

await runAdaptor({
  handlers: (running) => {
    const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
    mkdirSync(dataDirectory, { recursive: true });
    return createTemporalHandlers(running, { file: join(dataDirectory, 'temporal-adaptor.sqlite'), now: Date.now });
  },
});
