// fds-temporal-adaptor: configured by environment variables or adaptor.properties, see the README.
import { startAdaptor } from '@fds/adaptor-sdk';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporalHandlers } from './temporal-handlers.js';

const stopDeadlineMs = 15_000;

try {
  const adaptor = await startAdaptor({
    handlers: (running) => {
      const { dataDirectory = join('.fds-adaptor', running.adaptorUuid) } = running.properties;
      mkdirSync(dataDirectory, { recursive: true });
      return createTemporalHandlers(running, { file: join(dataDirectory, 'temporal-adaptor.sqlite'), now: Date.now });
    },
  });
  const stop = (): void => {
    // a store that does not answer must not keep the process: unfinished events come again
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
