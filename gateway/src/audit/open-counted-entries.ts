import { logChanges, type Change, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import type { KindBudgets } from './kind-budgets.js';

/**
 * Writes events to the change log. The first event of a kind is written at once, or within a second while another write is in
 * progress: a sign-in comes before the changes that follow it. Its repetitions are counted.
 * Their number follows as one entry at the end of the window. Events beyond the budget of their actor are counted in the
 * same way, see `KindBudgets`.
 */
export interface CountedEntries<T> extends Closable {
  /** Never throws and never waits. */
  record(event: T): void;
}

/** Resources of a process that audits. */
export interface AuditResources {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Time between two writes. Default a second. */
  readonly flushMs?: number;
}

interface CountedEntriesOptions<T> extends AuditResources {
  readonly budgets: KindBudgets<T>;
  readonly toChange: (event: T, count: number) => Change;
  readonly windowMs: number;
  /** Name of the events in the log of the service. */
  readonly what: string;
}

/** Entries that wait while the database does not answer. Further entries are dropped and logged. */
const maxPending = 10_000;

export const openCountedEntries = <T>(options: CountedEntriesOptions<T>): CountedEntries<T> => {
  const { database, log, now, budgets, toChange, windowMs, what, flushMs = 1_000 } = options;
  let windowEndsMs = 0;
  let pending: Change[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;

  const add = (event: T, count: number): void => {
    if (pending.length < maxPending) pending.push(toChange(event, count));
    else dropped += 1;
  };
  const endWindow = (): void => {
    for (const { event, count } of budgets.end()) add(event, count);
  };
  const write = async (changes: readonly Change[]): Promise<void> => {
    try {
      await database.transaction((client) => logChanges(client, changes));
    } catch (error) {
      log.warn({ err: error, entries: changes.length }, `${what} could not be written to the change log`);
    }
  };
  const flush = (): void => {
    if (now().getTime() >= windowEndsMs) endWindow();
    if (pending.length === 0 || writing !== undefined) return;
    if (dropped > 0) log.warn({ entries: dropped }, `${what} were dropped while the database did not answer`);
    dropped = 0;
    const changes = pending;
    pending = [];
    writing = write(changes).finally(() => (writing = undefined));
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();
  let soon: NodeJS.Immediate | undefined;

  return {
    record: (event) => {
      if (budgets.isEmpty) windowEndsMs = now().getTime() + windowMs;
      const first = budgets.take(event);
      if (first === undefined) return;
      add(first, 1);
      soon ??= setImmediate(() => {
        soon = undefined;
        flush();
      });
    },
    close: async () => {
      clearInterval(timer);
      clearImmediate(soon);
      windowEndsMs = 0;
      await writing;
      flush();
      await writing;
    },
  };
};
