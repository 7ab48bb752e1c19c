import { setTimeout as wait } from 'node:timers/promises';
import type { RecordCollector } from '@fds/assembly-contract';
import { isUnavailable } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import { readCondition } from '../../reading/listing/resolvers/key-properties.js';
import { loadChannels } from '../../store/channels/channel.js';
import { forgetOld, maxDifferences } from '../store/differences.js';
import { loadPage } from '../store/job-pages.js';
import { findReconciliation, type Reconciliation } from '../store/reconciliation.js';
import { claimJobs, finishJob, JobLost, releaseJobs, renewJobs } from '../store/running-jobs.js';
import { commitPage, type CommitDependencies } from './commit-page.js';
import { comparePage, loadAcked } from './compare-page.js';
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
  /** Records that are in memory at one time. Default 250. */
  readonly pageSize?: number;
}

const renewalsPerLease = 3;
const maxJobs = 4;
const forgetEveryMs = 60_000;
const forgottenAtOnce = 1_000;
/** A job ends after so many failures one after the other that are not the database's. */
const maxFailures = 5;
/** The share of the time that a job works in the database is at most one half. */
const maxPauseMs = 250;
/** Messages that wait in front of other traffic to an adaptor. */
const maxWaiting = 256;
const queuePollMs = 50;
const stalledMs = 2_000;

const listed = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join(' '));

/** The sides of a job as they are now; or why it cannot go on. */
const sidesOf = async (
  { view }: ReconciliationsOptions,
  job: Reconciliation,
  givenUp: GivenUp,
): Promise<ReconciledSides | { readonly gone: string }> => {
  await view.catchUp();
  const here = await view.findAdaptor(job.adaptorUuid);
  const version = await view.findVersionByUuid(job.domainVersionUuid);
  if (here === undefined || version === undefined) return { gone: 'The adaptor or the domain version was deleted.' };
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const others = isStored ? [] : view.catalog.holders(version).filter(({ uuid }) => uuid !== here.uuid);
  return { version, here, others, givenUp };
};

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
  readonly givenUp: GivenUp;
  /** Records of the next page. Large records take smaller pages. */
  pageSize: number;
  /** The number of acknowledged messages at which the adaptors stood still. */
  stalledAt: number | undefined;
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

  /** Waits while the adaptors have many messages to apply, as long as they apply some. */
  const giveWay = async (work: RunningWork, adaptorUuids: readonly string[]): Promise<void> => {
    let [before, progressAt] = [-1, performance.now()];
    while (!closing.signal.aborted) {
      const channels = [...(await loadChannels(pool, adaptorUuids)).values()];
      const waiting = channels.filter(({ downSequence, downAcked }) => downSequence - downAcked > maxWaiting);
      const acked = waiting.reduce((sum, { downAcked }) => sum + downAcked, 0);
      if (waiting.length === 0) return;
      if (work.stalledAt === acked) return;
      if (acked !== before) [before, progressAt] = [acked, performance.now()];
      else if (performance.now() - progressAt > stalledMs) {
        work.stalledAt = acked;
        return;
      }
      await pause(queuePollMs);
    }
  };

  const end = (uuid: string, status: 'DONE' | 'FAILED', message: string | null): Promise<void> =>
    database.transaction(async (client) => {
      if (!(await finishJob(client, uuid, { status, message })) || status !== 'DONE') return;
      const job = await findReconciliation(client, uuid);
      if (job !== undefined) await settleDrift(client, job, options.newUuid);
    });

  /** @returns whether the job continues */
  const workOn = async (uuid: string, work: RunningWork): Promise<boolean> => {
    const job = await findReconciliation(pool, uuid);
    if (job?.status !== 'RUNNING') return false;
    const sides = await sidesOf(options, job, work.givenUp);
    if ('gone' in sides) {
      await end(uuid, 'FAILED', sides.gone);
      return false;
    }
    const { version, here, others } = sides;
    const isComparable = version.domainType === 'SERVICE_DATA_STORE' || others.length > 0;
    const { condition } = readCondition({ model: version.model }, job.query);
    const acked = await loadAcked(options, sides);
    const page =
      job.lastRecordUuid === null || !isComparable
        ? []
        : await loadPage(pool, version, condition, {
            after: job.position,
            upTo: job.lastRecordUuid,
            limit: work.pageSize,
          });
    if (page.length === 0) {
      await end(uuid, 'DONE', finalMessage(job, sides));
      return false;
    }
    const compared = await comparePage(options, job, sides, { records: page, acked }, closing.signal);
    if (compared.isTooLarge) {
      work.pageSize = Math.floor(page.length / 2);
      return true;
    }
    const unread = compared.unread.get(here.uuid);
    if (unread !== undefined) {
      await end(uuid, 'FAILED', `${here.name} could not be read: ${unread}.`);
      return false;
    }
    if (compared.effects.length > 0)
      await giveWay(
        work,
        [here, ...others].map((adaptor) => adaptor.uuid),
      );
    const startedAt = performance.now();
    await commitPage(options, { job, sides, page, compared });
    work.pageSize = Math.min(pageSize, 2 * work.pageSize);
    await pause(Math.min(maxPauseMs, performance.now() - startedAt));
    return true;
  };

  const run = async (uuid: string): Promise<void> => {
    const work: RunningWork = { givenUp: new Map(), pageSize, stalledAt: undefined };
    let failures = 0;
    for (;;) {
      if (closing.signal.aborted) return;
      try {
        if (!(await workOn(uuid, work))) return;
        failures = 0;
      } catch (error) {
        if (closing.signal.aborted || error instanceof JobLost) return;
        log.warn({ err: error, reconciliationUuid: uuid }, 'a page of a reconciliation could not be compared');
        failures += isUnavailable(error) ? 0 : 1;
        if (failures === maxFailures) {
          await end(uuid, 'FAILED', 'The service could not go on. Its log says why.').catch(() => undefined);
          return;
        }
        await pause(500);
      }
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
