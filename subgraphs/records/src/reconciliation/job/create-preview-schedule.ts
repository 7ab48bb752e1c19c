import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { duePreviews, type ScheduledPair } from '../domain/due-previews.js';
import { addReconciliation } from '../store/reconciliation.js';
import { logJob } from '../store/running-jobs.js';
import {
  countScheduled,
  loadLastReconciliations,
  loadSchedules,
  lockSchedule,
  type ZoneSchedule,
} from '../store/scheduled-previews.js';
import { mayAnswer } from './read-sides.js';

/** Starts the previews that zones ask for regularly. */
export interface PreviewSchedule extends Closable {
  /** Looks for due previews now. The result never fails: errors are logged. */
  check(): Promise<void>;
}

export interface PreviewScheduleOptions {
  readonly database: Database;
  readonly view: Pick<CatalogView, 'catalog'>;
  readonly log: Log;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Called after a job was added. Must not throw. */
  readonly onStarted: () => void;
}

const checkMs = 5_000;
/** Jobs of the schedule that run at one time, over all processes, so that many zones do not load their systems at once. */
const maxRunning = 2;

/** The adaptors of zones with a schedule that can be compared now, with their versions. */
const pairsOf = ({ catalog }: Pick<CatalogView, 'catalog'>, schedules: readonly ZoneSchedule[]): ScheduledPair[] => {
  const byZone = new Map(schedules.map((schedule) => [schedule.zoneUuid, schedule]));
  return [...catalog.versions()].flatMap((version) => {
    if (!version.active) return [];
    const holders = catalog.holders(version);
    // a federated record needs another adaptor to be compared with
    if (version.domainType === 'FEDERATED' && holders.length < 2) return [];
    return holders.flatMap((adaptor): ScheduledPair[] => {
      const schedule = byZone.get(adaptor.zoneUuid);
      // in discovery mode the adaptor is not expected to be equal
      if (schedule === undefined || adaptor.discoveryMode || !mayAnswer(adaptor, version)) return [];
      return [{ ...schedule, adaptorUuid: adaptor.uuid, domainVersionUuid: version.uuid }];
    });
  });
};

/**
 * Several processes may look at the schedule. They take turns by a lock, and the jobs in the database show the started previews: a
 * preview is started once, also after a restart.
 */
export const createPreviewSchedule = (options: PreviewScheduleOptions): PreviewSchedule => {
  const { database, view, log, now, newUuid, onStarted } = options;

  /** Adds the job that is due first. @returns whether there was one */
  const startOne = (schedules: readonly ZoneSchedule[]): Promise<boolean> =>
    database.transaction(async (client) => {
      if (!(await lockSchedule(client))) return false;
      if ((await countScheduled(client)) >= maxRunning) return false;
      const pairs = pairsOf(view, schedules);
      const startedAt = now();
      const [due] = duePreviews(pairs, await loadLastReconciliations(client, pairs), startedAt.getTime());
      if (due === undefined) return false;
      const { everyHours: _, policy, ...place } = due;
      const order = {
        ...place,
        ...policy,
        preview: true,
        properties: null,
        query: null,
        startedByUuid: null,
        startedAt,
      };
      const { uuid } = await addReconciliation(client, newUuid(), order);
      await logJob(client, uuid, 'POST');
      return true;
    });

  const closing = new AbortController();
  const looking = createWakeable(
    async () => {
      const schedules = closing.signal.aborted ? [] : await loadSchedules(database.pool);
      if (schedules.length === 0) return;
      while (!closing.signal.aborted && (await startOne(schedules))) onStarted();
    },
    (error) => log.warn({ err: error }, 'previews could not be scheduled'),
  );
  const timer = setInterval(looking.wake, checkMs);
  timer.unref();

  return {
    check: () => {
      looking.wake();
      return looking.settle();
    },
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await looking.settle();
    },
  };
};
