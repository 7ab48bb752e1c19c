import type { Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import { removeClosedGaps } from '../../store/channels/hub-gap.js';
import { closeRepaired } from '../../store/issues/repaired-issues.js';

export interface GapWatchOptions {
  readonly database: Database;
  readonly log: Log;
  /** Milliseconds. Default 1000. */
  readonly intervalMs?: number;
}

const note = 'Everything that was missing has arrived.';

/** Closes an issue HUB_BEHIND when no message of its adaptor is missing. Several processes may do this at the same time. */
export const createGapWatch = ({ database, log, intervalMs = 1_000 }: GapWatchOptions): Closable =>
  repeatEvery({
    intervalMs,
    work: () =>
      database.transaction(async (client) => {
        const closed = await removeClosedGaps(client);
        if (closed.length > 0) {
          await closeRepaired(
            client,
            closed.map((uuid) => ({ uuid, note })),
          );
        }
      }),
    log,
    onFailure: 'issues HUB_BEHIND could not be closed',
  });
