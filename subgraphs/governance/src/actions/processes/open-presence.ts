import type { Database } from '@fds/database';
import { deadAfterMs } from '@fds/owned-tables';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import { removeProcess, renewProcess, type ProcessState } from '../../store/processes/process-rows.js';

export interface PresenceOptions {
  readonly database: Database;
  /** The state that changes while the process runs is read at each renewal. */
  readonly state: () => ProcessState;
  readonly log: Log;
}

/** Shows the process to the others. */
export interface Presence extends Closable {
  /** Renews the row at once: the state has changed. */
  renew(): Promise<void>;
}

const renewalsPerLife = 3;

/**
 * Writes the row of this process and renews it until it closes. An outage of the database is logged; other processes
 * then take this one for dead until it ends.
 *
 * @throws the database's error when the first row cannot be written
 */
export const openPresence = async ({ database, state, log }: PresenceOptions): Promise<Presence> => {
  const renew = (): Promise<void> => renewProcess(database.pool, state());
  await renew();
  const renewals = repeatEvery({
    intervalMs: deadAfterMs / renewalsPerLife,
    work: renew,
    log,
    onFailure: 'the row of this process could not be renewed',
  });
  return {
    renew,
    close: async () => {
      await renewals.close();
      await removeProcess(database.pool, state().uuid).catch((error: unknown) =>
        log.warn({ err: error }, 'the row of this process could not be removed'),
      );
    },
  };
};
