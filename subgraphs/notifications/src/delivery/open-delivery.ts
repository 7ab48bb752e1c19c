import type { Principal } from '@fds/auth';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import type { WebhookSender } from '@fds/webhook-client';
import { pruneMessages } from '../store/deliveries/prune-messages.js';
import { dropCursor } from '../store/queue/cursor.js';
import type { QueueBounds } from '../store/queue/enqueue.js';
import { createLeases } from '../store/queue/lease.js';
import type { NotificationTools } from '../store/notification-tools.js';
import { createDeliverer } from './create-deliverer.js';
import { createHostGate } from './create-host-gate.js';
import { openMatcher } from './open-matcher.js';
import { openWorker, type Worker } from './open-worker.js';

/** Settings of the delivery. */
interface DeliverySettings {
  /** False when nothing is matched or sent. */
  readonly enabled: boolean;
  /** Address of the service that clients see. */
  readonly baseUrl: string;
  /** Delays before the second and later attempts, in milliseconds. */
  readonly schedule: readonly number[];
  readonly queueBounds: QueueBounds;
  /** Receivers to which a process sends at the same time. */
  readonly concurrency: number;
  /** Additional slow receivers to which a process sends at the same time. */
  readonly slowReceivers: number;
  /** Receivers of one host to which a process sends at the same time. */
  readonly receiversPerHost: number;
  /** Time after which another process takes over from a killed one, in milliseconds. */
  readonly leaseMs: number;
  /** Time for which the delivery log keeps a settled message, in milliseconds; 0 means forever. */
  readonly keptMs: number;
  /** Time between two removals of old messages, in milliseconds. */
  readonly pruneMs: number;
}

export interface DeliveryDependencies extends NotificationTools {
  /** The caller closes it. */
  readonly sender: WebhookSender;
  readonly log: Log;
  /** This process. */
  readonly instanceUuid: string;
  /** Returns a user with their current permissions; undefined when unknown or deactivated. */
  readonly findUser: (userUuid: string) => Promise<Principal | undefined>;
  readonly delivery: DeliverySettings;
}

export interface Delivery extends Closable {
  /** Resolves when receivers can be woken. */
  prepare(): Promise<void>;
}

const batchSize = 50;
const patienceMs = 500;
const shortPatienceMs = 25;
const saveMs = 250;
const pollMs = 2000;
const restartMs = 1000;

/**
 * Follows the change log and delivers its changes to the receivers of registrations. The worker starts with the first
 * registration. Before that, only changes of registrations are read.
 */
export const openDelivery = async (dependencies: DeliveryDependencies): Promise<Delivery> => {
  const { database, now, log, delivery, instanceUuid: owner } = dependencies;
  const leases = createLeases({ database, owner, leaseMs: delivery.leaseMs, now });
  const deliverer = createDeliverer({
    ...dependencies,
    ...delivery,
    leases,
    gate: createHostGate({ receiversPerHost: delivery.receiversPerHost, now }),
    owner,
    saveMs,
    size: batchSize,
  });

  let worker: Promise<Worker> | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;
  const startWorker = (): Promise<Worker> => {
    if (worker !== undefined) return worker;
    const starting = openWorker({
      ...dependencies,
      ...delivery,
      deliverer,
      leases,
      patienceMs,
      shortPatienceMs,
      pollMs,
      renewMs: delivery.leaseMs / 4,
      onEnd: (error) => {
        log.warn({ err: error }, 'the worker of notifications has ended and is started again');
        startAgain(starting);
      },
    });
    worker = starting;
    starting.catch(() => startAgain(starting));
    return starting;
  };
  const startAgain = (ended: Promise<Worker>): void => {
    if (isClosed || worker !== ended) return;
    worker = undefined;
    void ended.then((opened) => opened.close()).catch(() => undefined);
    clearTimeout(restart);
    restart = setTimeout(() => void startWorker().catch(() => undefined), restartMs);
  };
  const prepare = async (): Promise<void> => {
    await startWorker();
  };

  const matcher = await openMatcher({
    ...dependencies,
    bounds: delivery.queueBounds,
    prepare,
    onRegistration: async (registrationUuid) => (await startWorker()).wake(registrationUuid),
  });

  const pruning = repeatEvery({
    intervalMs: delivery.pruneMs,
    work: async () => {
      if (delivery.keptMs > 0) await pruneMessages(database, new Date(now().getTime() - delivery.keptMs));
    },
    log,
    onFailure: 'old messages could not be removed',
  });

  return {
    prepare,
    close: async () => {
      isClosed = true;
      clearTimeout(restart);
      await pruning.close();
      await matcher.close();
      await (await worker?.catch(() => undefined))?.close();
    },
  };
};

/** For a deployment without notifications: changes from this time are not notified later. */
export const skipChanges = dropCursor;
