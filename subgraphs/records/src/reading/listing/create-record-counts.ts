import type { Database, Queryable } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import type { ReadingPlan } from './domain/plan-page.js';
import { findUnfoldedVersions, foldCounts, loadTotal } from './store/counts/record-counts.js';
import { createWakeable } from '../../base/create-wakeable.js';

/** Totals of listings; folds the entries of kept counts in the background. */
export interface RecordCounts extends Closable {
  /** The exact total at this moment. It is counted if no count is kept for it. */
  totalOf(session: Queryable, plan: Pick<ReadingPlan, 'filter' | 'total'>): Promise<number>;
  /** Folds the counts that no listing reads, now and from now on. */
  check(): void;
}

export interface RecordCountsOptions {
  readonly database: Database;
  readonly log: Log;
  /** Surplus entries of a version from which on they are folded. Default 64: reading so many costs some ten microseconds. */
  readonly minSurplus?: number;
  /** Between two foldings, in milliseconds. Default 200. */
  readonly pauseMs?: number;
  /** How often to look for unfolded counts that no listing reads, in milliseconds. Default 60 000. */
  readonly checkMs?: number;
}

/** Several processes may fold at once. Closing finishes the statement at hand. */
export const createRecordCounts = (options: RecordCountsOptions): RecordCounts => {
  const { database, log, minSurplus = 64, pauseMs = 200, checkMs = 60_000 } = options;
  const wanted = new Set<string>();
  let isClosed = false;
  let dueMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const wakeIn = (ms: number): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => working.wake(), ms).unref();
  };
  const work = async (): Promise<void> => {
    if (performance.now() >= dueMs) {
      dueMs = performance.now() + checkMs;
      for (const version of await findUnfoldedVersions(database.pool, minSurplus)) wanted.add(version);
    }
    for (const version of wanted) {
      if (isClosed) return;
      wanted.delete(version);
      await foldCounts(database.pool, version);
    }
    wakeIn(checkMs);
  };
  const working = createWakeable(work, (error) => {
    log.warn({ err: error }, 'counts of records could not be folded');
    wakeIn(checkMs);
  });

  return {
    totalOf: async (session, plan) => {
      const { total, surplus } = await loadTotal(session, plan);
      const version = plan.filter.version?.uuid;
      if (version !== undefined && surplus >= minSurplus && !wanted.has(version)) {
        wanted.add(version);
        wakeIn(pauseMs);
      }
      return total;
    },
    check: () => {
      if (!isClosed) working.wake();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await working.settle();
    },
  };
};
