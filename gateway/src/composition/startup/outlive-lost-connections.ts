import { isUnavailable } from '@fds/database';
import type { Log } from '@fds/service';

/**
 * Keeps the process running when the database ends a connection and a promise without a handler is rejected:
 * graphile-worker does not await the statement that ends a job. The leases of receivers make such a job run again. Any
 * other unhandled rejection ends the process.
 */
export const outliveLostConnections = (log: Pick<Log, 'error'>): void => {
  process.on('unhandledRejection', (error) => {
    if (!isUnavailable(error)) throw error;
    log.error({ err: error }, 'the database ended a connection while a statement ran');
  });
};
