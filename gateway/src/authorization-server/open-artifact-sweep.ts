import type { Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import { sweepArtifacts } from './sweep-artifacts.js';

export interface ArtifactSweepOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Time between two sweeps. Default: a minute. */
  readonly intervalMs?: number;
}

/** Deletes expired rows of the authorization server at regular intervals until it is closed. A failure is logged. */
export const openArtifactSweep = ({ database, log, now, intervalMs = 60_000 }: ArtifactSweepOptions): Closable =>
  repeatEvery({
    intervalMs,
    work: async () => {
      const rows = await sweepArtifacts(database, now());
      if (rows > 0) log.debug({ rows }, 'expired rows of sign-ins were deleted');
    },
    log,
    onFailure: 'expired rows of sign-ins could not be deleted, will try again',
  });
