import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import { repairedBy } from '../../domain/issues/repaired-by.js';
import { closeRepaired, loadRepairable } from '../../store/issues/repaired-issues.js';

/** Closes issues of exception ADAPTOR whose records were repaired since, with the reason. */
export interface RepairWatch extends Closable {
  /** Looks for them now, and from now on. */
  check(): void;
}

export interface RepairWatchOptions {
  readonly database: Database;
  readonly log: Log;
  /** Between two pages, in milliseconds. Default 1000. */
  readonly pauseMs?: number;
}

/** Issues that are in memory at one time. A page of them is examined, so that many open issues cost no more than few. */
const pageSize = 200;

/**
 * Goes through the open issues of exception ADAPTOR again and again. The history in the database decides, so that a restart loses
 * nothing, and several processes do the same work without harm. Closing finishes the page at hand.
 */
export const createRepairWatch = ({ database, log, pauseMs = 1_000 }: RepairWatchOptions): RepairWatch => {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let after: string | undefined;

  const wakeLater = (): void => {
    if (!isClosed) timer = setTimeout(watching.wake, pauseMs).unref();
  };
  const watching = createWakeable(
    async () => {
      clearTimeout(timer);
      const page = await loadRepairable(database.pool, { after, limit: pageSize });
      const repaired = page.flatMap((issue) => {
        const note = repairedBy(issue);
        return note === undefined ? [] : [{ uuid: issue.uuid, note }];
      });
      if (repaired.length > 0) await database.transaction((client) => closeRepaired(client, repaired));
      after = page.length < pageSize ? undefined : page.at(-1)?.uuid;
      wakeLater();
    },
    (error) => {
      log.debug({ err: error }, 'open issues could not be compared with the history of their records');
      wakeLater();
    },
  );

  return {
    check: () => {
      if (!isClosed) watching.wake();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await watching.settle();
    },
  };
};
