import type { Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { deliveryTask, wakeReceivers } from '../store/queue/wake-receivers.js';
import type { Leases } from '../store/queue/lease.js';
import type { Deliverer } from './create-deliverer.js';
import { createSlowPool, type SlowPool } from './create-slow-pool.js';

export interface WorkerOptions {
  readonly database: Pick<Database, 'url' | 'pool'>;
  readonly deliverer: Deliverer;
  readonly leases: Leases;
  readonly log: Log;
  /** Receivers to which a process sends at the same time, without slow ones. */
  readonly concurrency: number;
  /** Additional slow receivers to which a process sends at the same time. */
  readonly slowReceivers: number;
  /** Time after which a receiver counts as slow, in milliseconds. */
  readonly patienceMs: number;
  /** The same time while messages are sent to many receivers. */
  readonly shortPatienceMs: number;
  /** Time between two checks for attempts that are due, in milliseconds. */
  readonly pollMs: number;
  /** Time between two renewals of leases, in which those of killed processes are also found, in milliseconds. */
  readonly renewMs: number;
  /** Called when the worker stops taking jobs without having been closed. */
  readonly onEnd: (error: unknown) => void;
}

/** Sends to receivers when their jobs are due. */
export interface Worker extends Closable {
  /** Adds a job for the receiver if messages wait and no process sends them. */
  wake(registrationUuid: string): Promise<void>;
}

/** Each job is for one receiver. Its key is the registration, so that at most one job of a receiver waits. */
const isJob = (payload: unknown): payload is { readonly registrationUuid: string } =>
  typeof payload === 'object' && payload !== null && 'registrationUuid' in payload;

const connections = 4;

/** Renewals between two checks for receivers to which no process sends: one lease. */
const forgottenEvery = 4;

/** Levels of graphile-worker that are logged as warnings. */
const severe: ReadonlySet<string> = new Set(['error', 'warning']);

/** Installs the tables of graphile-worker if they are missing, and takes jobs until it is closed. */
export const openWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { database, deliverer, leases, log, concurrency, pollMs, renewMs } = options;
  // loaded only by deployments that have registrations
  const { Logger, run } = await import('graphile-worker');
  const closing = new AbortController();
  const pool: SlowPool = createSlowPool({ ...options, places: concurrency });

  const deliver = async (registrationUuid: string): Promise<void> => {
    const interrupted = await deliverer.deliver(registrationUuid, closing.signal);
    // another process continues with the interrupted receivers
    await wakeReceivers(database.pool, interrupted);
  };

  const runner = await run({
    connectionString: database.url,
    maxPoolSize: connections,
    concurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    parsedCronItems: [],
    taskList: {
      [deliveryTask]: async (payload) => {
        if (isJob(payload)) await pool.run(() => deliver(payload.registrationUuid));
      },
    },
    logger: new Logger(() => (level, message, meta) => {
      if (severe.has(level)) log.warn({ job: meta?.['job'] }, message);
      else log.debug({}, message);
    }),
  });

  const end = (error?: unknown): void => {
    if (!closing.signal.aborted) options.onEnd(error);
  };
  runner.promise.then(() => end(), end);

  const wakeForgotten = async (which: 'all' | 'expired'): Promise<void> =>
    wakeReceivers(database.pool, await leases.findForgotten(which));

  let rounds = 0;
  let round: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    rounds += 1;
    await leases.renew();
    await wakeForgotten(rounds % forgottenEvery === 0 ? 'all' : 'expired');
  };
  const timer = setInterval(() => {
    round ??= work()
      .catch((error: unknown) => log.warn({ err: error }, 'leases of receivers could not be renewed'))
      .finally(() => {
        round = undefined;
      });
  }, renewMs).unref();
  await wakeForgotten('all');

  return {
    wake: async (registrationUuid) => {
      const forgotten = await leases.findForgotten('all');
      if (forgotten.includes(registrationUuid)) await wakeReceivers(database.pool, [registrationUuid]);
    },
    close: async () => {
      closing.abort(new Error('the service ends'));
      clearInterval(timer);
      // it throws when it has ended by itself
      await runner.stop().catch(() => undefined);
      await pool.settle();
      await round;
    },
  };
};
