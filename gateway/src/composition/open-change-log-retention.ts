import { pruneChangeLog, type Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';

export interface ChangeLogRetentionOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Shortest time that entries are kept, in milliseconds. */
  readonly keptMs: number;
  /** Time between two removals of old entries, in milliseconds. Default: ten minutes. */
  readonly intervalMs?: number;
  /** Returns the first change that a reader still needs; undefined when no reader needs any. */
  readonly loadFirstNeeded: (database: Database) => Promise<bigint | undefined>;
}

/** Removes old entries of the change log that no reader needs. */
export const openChangeLogRetention = (options: ChangeLogRetentionOptions): Closable => {
  const { database, log, now, keptMs, intervalMs = 600_000, loadFirstNeeded } = options;
  return repeatEvery({
    intervalMs,
    work: async () => {
      const before = new Date(now().getTime() - keptMs);
      const removed = await pruneChangeLog(database, { before, needed: await loadFirstNeeded(database) });
      if (removed > 0) log.debug({ removed }, 'old entries of the change log were removed');
    },
    log,
    onFailure: 'old entries of the change log could not be removed',
  });
};
