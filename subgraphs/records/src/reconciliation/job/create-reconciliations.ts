import { setTimeout as wait } from 'node:timers/promises';
import type { RecordCollector } from '@fds/assembly-contract';
import { isUnavailable } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import { forgetOld, maxDifferences } from '../store/differences.js';
import { findReconciliation, type Reconciliation } from '../store/reconciliation.js';
import { claimJobs, finishJob, hasOtherEvents, JobLost, releaseJobs, renewJobs } from '../store/running-jobs.js';
import { commitPage, type CommitDependencies } from './commit-page.js';
import { createPageReads, type PageReads } from './create-page-reads.js';
import { createRoomWait, type RoomWait } from './create-room-wait.js';
import { loadNext, readLoaded, type LoadedPage, type ReadPage } from './read-pages.js';
import { settleDrift } from './settle-drift.js';
import type { GivenUp, ReconciledSides } from './read-sides.js';

/** Runs reconciliations in the background. */
export interface Reconciliations extends Closable {
  /** Looks for jobs now, and from now on. */
  check(): void;
}

export interface ReconciliationsOptions extends CommitDependencies {
  readonly collector: RecordCollector;
  readonly log: Log;
  /** Another process continues the jobs of this one after so many milliseconds without a renewal. Default 3000. */
  readonly leaseMs?: number;
  /** Records of a page. At most four pages are in memory at one time. Default 250. */
  readonly pageSize?: number;
}

const renewalsPerLease = 3;
const maxJobs = 4;
const forgetEveryMs = 60_000;
const forgottenAtOnce = 1_000;
/** A job ends after so many failures one after the other that are not the database's. */
const maxFailures = 5;
/** Pages that are read ahead, while no other events are committed. */
const pagesAhead = 3;
/** An event counts as other traffic for so long. */
const otherEventsMs = 1_000;
/** With other events, the share of the time that a job works in the database is at most one half. */
const maxPauseMs = 250;

const listed = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join(' '));

const nameOf = (version: DomainVersionView): string => `${version.domainName}:v${version.versionNumber}`;

const finalMessage = (job: Reconciliation, { version, others }: ReconciledSides): string | null => {
  const names = new Map(others.map(({ uuid, name }: AdaptorView) => [uuid, name]));
  const { denied, counts } = job;
  const differences = counts.differing + counts.missingHere + counts.missingThere;
  const hasOthers = version.domainType === 'SERVICE_DATA_STORE' || others.length > 0;
  return listed([
    ...(hasOthers ? [] : [`No other adaptor has a capability for ${nameOf(version)}.`]),
    ...Object.entries(job.unread).map(([uuid, reason]) => `${names.get(uuid) ?? uuid} could not be read: ${reason}.`),
    ...(denied === 0 ? [] : [`Governance keeps ${denied} ${denied === 1 ? 'record' : 'records'} from the zone.`]),
    ...(differences <= maxDifferences ? [] : [`At most ${maxDifferences} differences are listed.`]),
  ]);
};

/** The state of a job in the process that works on it. */
interface RunningWork {
  readonly pages: PageReads<ReadPage>;
  /** Records of the next page. Large records take smaller pages. */
  pageSize: number;
  /** Other events were committed in the last second. */
  givesWay: boolean;
  readonly waitForRoom: RoomWait;
}

/**
 * Several processes may look for jobs: each job is worked on by one of them. The job of a process that ends is continued by another
 * one, or by the next. Closing drops the page at hand, unless it is being committed.
 */
export const createReconciliations = (options: ReconciliationsOptions): Reconciliations => {
  const { database, log, instanceUuid, leaseMs = 3_000, pageSize = 250 } = options;
  const { pool } = database;
  const owner = { instanceUuid, durationMs: leaseMs };
  const closing = new AbortController();
  const running = new Map<string, Promise<void>>();
  let forgottenAt = 0;

  const pause = (milliseconds: number): Promise<void> =>
    wait(milliseconds, undefined, { signal: closing.signal }).catch(() => undefined);

  const end = (uuid: string, status: 'DONE' | 'FAILED', message: string | null): Promise<void> =>
    database.transaction(async (client) => {
      if (!(await finishJob(client, uuid, { status, message })) || status !== 'DONE') return;
      const job = await findReconciliation(client, uuid);
      if (job !== undefined) await settleDrift(client, job, options.newUuid);
    });

  const openWork = (job: Reconciliation, signal: AbortSignal): RunningWork => {
    const pages = createPageReads<LoadedPage, ReadPage>({
      load: (after) => loadNext(options, job, { givenUp, limit: work.pageSize, after }),
      lastOf: (loaded) => (loaded.kind === 'PAGE' ? loaded.records.at(-1)?.uuid : undefined),
      read: (loaded) => readLoaded(options, job, loaded, signal),
      // with other events, and where records are large, one page is in memory
      ahead: () => (work.givesWay || work.pageSize < pageSize ? 0 : pagesAhead),
    });
    const givenUp: GivenUp = new Map();
    const work: RunningWork = { pages, pageSize, givesWay: true, waitForRoom: createRoomWait(pool, closing.signal) };
    return work;
  };

  /** @returns whether the job continues */
  const workOn = async (job: Reconciliation, work: RunningWork): Promise<boolean> => {
    if (job.status !== 'RUNNING') return false;
    work.givesWay = await hasOtherEvents(pool, job.uuid, options.now().getTime() - otherEventsMs);
    const read = await work.pages.next(job.position);
    if (read.kind === 'GONE') {
      await end(job.uuid, 'FAILED', read.reason);
      return false;
    }
    const { sides } = read;
    if (read.kind === 'END') {
      await end(job.uuid, 'DONE', finalMessage(job, sides));
      return false;
    }
    const { compared, records } = read;
    if (compared.isTooLarge) {
      work.pages.drop();
      work.pageSize = Math.floor(records.length / 2);
      return true;
    }
    const unread = compared.unread.get(sides.here.uuid);
    if (unread !== undefined) {
      await end(job.uuid, 'FAILED', `${sides.here.name} could not be read: ${unread}.`);
      return false;
    }
    if (compared.effects.length > 0) await work.waitForRoom([sides.here, ...sides.others].map(({ uuid }) => uuid));
    const startedAt = performance.now();
    await commitPage(options, { job, sides, page: records, compared });
    work.pageSize = Math.min(pageSize, 2 * work.pageSize);
    if (work.givesWay) await pause(Math.min(maxPauseMs, performance.now() - startedAt));
    return true;
  };

  const run = async (uuid: string): Promise<void> => {
    const ending = new AbortController();
    const signal = AbortSignal.any([closing.signal, ending.signal]);
    let work: RunningWork | undefined;
    let failures = 0;
    try {
      while (!closing.signal.aborted) {
        try {
          const job = await findReconciliation(pool, uuid);
          if (job === undefined) return;
          work ??= openWork(job, signal);
          if (!(await workOn(job, work))) return;
          failures = 0;
        } catch (error) {
          if (closing.signal.aborted || error instanceof JobLost) return;
          log.warn({ err: error, reconciliationUuid: uuid }, 'a page of a reconciliation could not be compared');
          failures += isUnavailable(error) ? 0 : 1;
          if (failures === maxFailures) {
            await end(uuid, 'FAILED', 'The service could not go on. Its log says why.').catch(() => undefined);
            return;
          }
          work?.pages.drop();
          await pause(500);
        }
      }
    } finally {
      ending.abort();
      await work?.pages.settle();
    }
  };

  const forget = async (): Promise<void> => {
    if (performance.now() - forgottenAt < forgetEveryMs && forgottenAt > 0) return;
    // one batch at a time: the jobs have to be renewed
    forgottenAt = (await forgetOld(pool, forgottenAtOnce)) ? 0 : performance.now();
  };

  const look = async (): Promise<void> => {
    if (running.size > 0) await renewJobs(pool, owner);
    for (const uuid of await claimJobs(pool, owner, maxJobs - running.size)) {
      if (running.has(uuid)) continue;
      running.set(
        uuid,
        run(uuid).finally(() => running.delete(uuid)),
      );
    }
    await forget();
  };

  const looking = createWakeable(
    async () => {
      if (!closing.signal.aborted) await look();
    },
    (error) => log.warn({ err: error }, 'reconciliations could not be looked for'),
  );
  const timer = setInterval(looking.wake, leaseMs / renewalsPerLease);
  timer.unref();

  return {
    check: looking.wake,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await looking.settle();
      await Promise.all(running.values());
      await releaseJobs(pool, instanceUuid).catch((error: unknown) =>
        log.warn({ err: error }, 'reconciliations could not be released'),
      );
    },
  };
};
