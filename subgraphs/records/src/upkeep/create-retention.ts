import type { Database, SqlClient } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import type { OldRows, PrunedRows } from '../store/retention/old-rows.js';
import { pruneEchoes, pruneEvents, pruneProgress } from '../store/retention/prune-events.js';
import { pruneIssues } from '../store/retention/prune-issues.js';
import { pruneRemovedLinks } from '../store/retention/prune-removed-links.js';
import { saveTurn, takeTurn, type RetentionSubject } from '../store/retention/retention-progress.js';
import { createWakeable } from '../base/create-wakeable.js';

/** How long history is kept, in days; 0: for ever. */
export interface RetentionPeriods {
  /** Data events with their deliveries, and events without news. */
  readonly eventDays: number;
  /** Closed data issues, after their last change. */
  readonly issueDays: number;
}

/** Removes history that is older than the retention period, and old rows of removed links. */
export interface Retention extends Closable {
  /** Looks for it now, and from now on. */
  check(): void;
}

/** How fast history is gone through. */
export interface RetentionPace {
  /** Rows that one transaction looks at. */
  readonly rows: number;
  /** Between two transactions, in milliseconds. */
  readonly pauseMs: number;
  /** From the end of the history until it is gone through again, in milliseconds. */
  readonly restMs: number;
  /** How often a process checks whether a removal is due, in milliseconds. */
  readonly checkMs: number;
}

export interface RetentionOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  readonly periods: RetentionPeriods;
  /** Default: 500 rows every 200 ms; from the beginning every hour; a look every minute. */
  readonly pace?: RetentionPace;
}

const defaultPace: RetentionPace = { rows: 500, pauseMs: 200, restMs: 3_600_000, checkMs: 60_000 };
const dayMs = 86_400_000;
/** An event that an adaptor sent before it acknowledged a DELETE is long since there. */
const removedLinksMs = 3_600_000;

interface Task {
  readonly subject: RetentionSubject;
  /** 0: for ever. */
  readonly keptMs: number;
  readonly prune: (client: SqlClient, rows: OldRows) => Promise<PrunedRows>;
}

/** The processes of a deployment take turns, one at a time. Closing finishes the transaction at hand. */
export const createRetention = (options: RetentionOptions): Retention => {
  const { database, log, now, periods, pace = defaultPace } = options;
  const tasks = [
    { subject: 'DATA_EVENTS', keptMs: periods.eventDays * dayMs, prune: pruneEvents },
    { subject: 'DATA_ECHOES', keptMs: periods.eventDays * dayMs, prune: pruneEchoes },
    { subject: 'DELIVERY_PROGRESS', keptMs: periods.eventDays * dayMs, prune: pruneProgress },
    { subject: 'CLOSED_ISSUES', keptMs: periods.issueDays * dayMs, prune: pruneIssues },
    { subject: 'REMOVED_LINKS', keptMs: removedLinksMs, prune: pruneRemovedLinks },
  ] satisfies Task[];
  const due: readonly Task[] = tasks.filter(({ keptMs }) => keptMs > 0);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** @returns whether there is more to go through */
  const runRound = ({ subject, keptMs, prune }: Task): Promise<boolean> =>
    database.transaction(async (client) => {
      const moment = now();
      const turn = await takeTurn(client, subject, moment);
      if (turn === undefined) return false;
      const before = new Date(moment.getTime() - keptMs);
      const { last, removed } = await prune(client, { after: turn.after, before, limit: pace.rows });
      const restMs = last === null ? pace.restMs : 0;
      await saveTurn(client, subject, { after: last, restsUntil: new Date(moment.getTime() + restMs) });
      if (removed > 0) log.debug({ subject, removed }, 'old history was removed');
      return last !== null;
    });

  const wakeIn = (ms: number): void => {
    if (!isClosed) timer = setTimeout(working.wake, ms).unref();
  };
  const work = async (): Promise<void> => {
    clearTimeout(timer);
    let isMore = false;
    for (const task of due) {
      if (isClosed) return;
      if (await runRound(task)) isMore = true;
    }
    wakeIn(isMore ? pace.pauseMs : pace.checkMs);
  };
  const working = createWakeable(work, (error) => {
    log.warn({ err: error }, 'old history could not be removed');
    wakeIn(pace.checkMs);
  });

  return {
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
