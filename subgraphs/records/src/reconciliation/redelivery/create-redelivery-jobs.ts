import { setTimeout as wait } from 'node:timers/promises';
import { isUnavailable } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { StaleCatalog } from '../../catalog-view/store/require-fresh-catalog.js';
import { StaleVersions } from '../../catalog-view/store/require-fresh-versions.js';
import { createWakeable } from '../../base/create-wakeable.js';
import { readCondition } from '../../reading/listing/resolvers/key-properties.js';
import { loadChannels } from '../../store/channels/channel.js';
import { JobLost } from '../store/running-jobs.js';
import {
  claimRedelivery,
  countRedelivery,
  finishRedelivery,
  forgetRedeliveries,
  loadRedeliveryPage,
  type Redelivery,
} from './redelivery-store.js';
import { sendPage, type SendDependencies } from './send-page.js';

/** Runs redeliveries in the background. */
export interface RedeliveryJobs extends Closable {
  /** Looks for jobs now, and from now on. */
  check(): void;
}

export interface RedeliveryJobsOptions extends SendDependencies {
  readonly instanceUuid: string;
  readonly log: Log;
}

/** Another process continues a job after that long without a page. A page waits for two answers of adaptors. */
const leaseMs = 20_000;
const checkMs = 3_000;
/** Records that are in memory at one time. */
const pageSize = 100;
const maxFailures = 5;
/** Messages that may wait for the adaptor when a page is added. */
const maxWaiting = 256;
/** A look at the queues, when every job waits for its adaptor. */
const queuePollMs = 200;

const countOf = (count: number): string => (count === 1 ? '1 record' : `${count} records`);

const messageOf = ({ unanswered, withheld }: Redelivery): string | null => {
  const parts = [
    ...(unanswered === 0 ? [] : [`No other adaptor answered with the content of ${countOf(unanswered)}.`]),
    ...(withheld === 0 ? [] : [`Governance or a missing capability keeps ${countOf(withheld)} from the adaptor.`]),
  ];
  return parts.length === 0 ? null : parts.join(' ');
};

/**
 * Several processes may look for jobs: each job is worked on by one of them, page by page, and continued by another one when its
 * process ends. A page counts once. Closing finishes the page at hand.
 */
export const createRedeliveryJobs = (options: RedeliveryJobsOptions): RedeliveryJobs => {
  const { database, view, log, instanceUuid } = options;
  const { pool } = database;
  const closing = new AbortController();
  const failures = new Map<string, number>();
  /** Jobs whose adaptors have many messages to apply, since a job could go on. */
  const waiting = new Set<string>();

  const pause = (milliseconds: number): Promise<void> =>
    wait(milliseconds, undefined, { signal: closing.signal }).catch(() => undefined);

  /** Lets the other jobs go on; if all of them wait, for some time. @returns whether the job has to wait */
  const givesWay = async ({ uuid, adaptorUuid }: Redelivery): Promise<boolean> => {
    const channel = (await loadChannels(pool, [adaptorUuid])).get(adaptorUuid);
    if (channel === undefined || channel.downSequence - channel.downAcked <= maxWaiting) {
      waiting.clear();
      return false;
    }
    if (waiting.has(uuid)) {
      waiting.clear();
      await pause(queuePollMs);
    } else waiting.add(uuid);
    return true;
  };

  const finish = (job: Redelivery, status: 'DONE' | 'FAILED', message: string | null): Promise<void> =>
    database.transaction(async (client) => {
      await finishRedelivery(client, job.uuid, { status, message });
      await forgetRedeliveries(client, job.adaptorUuid);
    });

  const workOn = async (job: Redelivery): Promise<void> => {
    const adaptor = await view.findAdaptor(job.adaptorUuid);
    if (adaptor?.active !== true) return finish(job, 'FAILED', 'The adaptor was deleted, or is not active.');
    const version = job.domainVersionUuid === null ? undefined : await view.findVersionByUuid(job.domainVersionUuid);
    if (version === undefined && job.query !== null) return finish(job, 'FAILED', 'The domain version was deleted.');
    const { condition } = version === undefined ? {} : readCondition({ model: version.model }, job.query);
    const searched = version === undefined || condition === undefined ? undefined : { version, condition };
    if (job.total === null) return countRedelivery(pool, job, searched);
    if (await givesWay(job)) return;
    const page = await loadRedeliveryPage(pool, job, searched, pageSize);
    if (page.length === 0) return finish(job, 'DONE', messageOf(job));
    const startedAt = performance.now();
    await sendPage(options, { job, adaptor, page });
    // at most half of the time
    await pause(Math.min(250, performance.now() - startedAt));
  };

  const recover = async (job: Redelivery, error: unknown): Promise<void> => {
    if (error instanceof JobLost) return;
    if (error instanceof StaleCatalog) return view.take(error.changes);
    if (error instanceof StaleVersions) return view.reloadVersions(error.versionUuids);
    log.warn({ err: error, redeliveryUuid: job.uuid }, 'a page of a redelivery could not be sent');
    const count = (failures.get(job.uuid) ?? 0) + (isUnavailable(error) ? 0 : 1);
    failures.set(job.uuid, count);
    if (count >= maxFailures) {
      failures.delete(job.uuid);
      await finish(job, 'FAILED', 'The service could not go on. Its log says why.');
    }
    await pause(500);
  };

  const look = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const job = await claimRedelivery(pool, { instanceUuid, durationMs: leaseMs });
      if (job === undefined) return;
      try {
        await workOn(job);
        failures.delete(job.uuid);
      } catch (error) {
        await recover(job, error);
      }
    }
  };

  const looking = createWakeable(look, (error) => log.warn({ err: error }, 'redeliveries could not be looked for'));
  const timer = setInterval(looking.wake, checkMs);
  timer.unref();

  return {
    check: looking.wake,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await looking.settle();
    },
  };
};
