import { setTimeout as delay } from 'node:timers/promises';
import type { LinkReport } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import { defaultRetrySchedule, toWebhookTarget, webhookMetadataFaults, type WebhookTarget } from '@fds/webhook-client';
import { createWakeable } from '../../background/create-wakeable.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { Ingest } from '../ingest/create-ingest.js';
import type { FailedAttempts } from '../domain/webhooks/receiver-state.js';
import { createAdaptorErrorTaker } from '../../issues/settlement/create-adaptor-error-taker.js';
import {
  createWebhookOutlet,
  type WebhookOutlet,
  type WebhookOutletDependencies,
} from '../relay/create-webhook-outlet.js';
import type { Leases } from '../relay/open-leases.js';
import type { OpenVirtualOutlet } from '../relay/open-relay.js';
import { loadWebhookFailure, removeWebhookFailure, saveWebhookFailure } from '../store/webhook-failure.js';
import { createWebhookDelivery } from './deliver-webhook.js';
import { nextReport } from './next-report.js';
import type { WebhookPorts } from './webhook-ports.js';

/** The webhook adaptors that this process runs. */
export interface WebhookAdaptors extends Closable {
  /** The outlet of a webhook adaptor; undefined for an adaptor on the bus. */
  readonly openOutlet: OpenVirtualOutlet;
  /** Begins to run the adaptors that no other process runs. */
  start(ports: RunningPorts): void;
}

interface RunningPorts {
  readonly ingest: Pick<Ingest, 'takeOver' | 'drop' | 'link'>;
  readonly leases: Leases;
}

export interface WebhookAdaptorsDependencies extends WebhookPorts {
  readonly database: Database;
  readonly view: CatalogView;
  readonly log: Log;
  readonly now: () => Date;
}

/** Metadata of an adaptor as it was read last. */
interface Configuration {
  readonly revision: string;
  readonly target: WebhookTarget | undefined;
  readonly fault: string | undefined;
}

/** An adaptor that this process runs. */
interface Hosted {
  readonly outlet: WebhookOutlet;
  configuration: Configuration | undefined;
  /** The state after the last report, until the catalog view shows another one than it did then. */
  reported: { readonly shown: string; readonly state: string; readonly untilMs: number } | undefined;
  /** The last message of an ERROR. */
  message: string | undefined;
}

/** States in which messages are delivered. In ERROR the receiver is tried again. */
const delivering: ReadonlySet<string> = new Set(['STARTING', 'STARTED', 'ERROR']);
/** The change log reports every change; this is for processes that died. */
const lookEveryMs = 1_000;
/** The change log is later than this only when something is wrong, and then the view counts. */
const viewDelayMs = 5_000;
/** Time for requests under way when the process ends. */
const graceMs = 2_000;

export const createWebhookAdaptors = (dependencies: WebhookAdaptorsDependencies): WebhookAdaptors => {
  const { database, view, log, now, sender, catalog, rule, schedule = defaultRetrySchedule } = dependencies;
  const takeError = createAdaptorErrorTaker({ database });
  const hosted = new Map<string, Hosted>();
  let ports: RunningPorts | undefined;
  let closed = false;

  const adaptorOf = (adaptorUuid: string): AdaptorView | undefined => {
    const adaptor = view.catalog.adaptor(adaptorUuid);
    return adaptor?.webhookRevision === undefined ? undefined : adaptor;
  };

  const plays = (adaptorUuid: string): boolean => {
    const adaptor = adaptorOf(adaptorUuid);
    return (
      !closed &&
      adaptor !== undefined &&
      adaptor.active &&
      delivering.has(adaptor.state) &&
      hosted.get(adaptorUuid)?.configuration?.target !== undefined &&
      ports?.leases.holds(adaptorUuid) === true
    );
  };

  const configure = async (adaptorUuid: string, revision: string): Promise<Configuration> => {
    const metadata = await catalog.loadMetadata(adaptorUuid);
    const [cause] = webhookMetadataFaults(metadata ?? null, '/metadata', rule);
    return cause === undefined && metadata !== undefined && metadata !== null
      ? { revision, target: toWebhookTarget(metadata), fault: undefined }
      : { revision, target: undefined, fault: `${cause?.pointer ?? '/metadata'}: ${cause?.detail ?? 'is missing'}` };
  };

  /** The state that counts: a report of this process counts before the change log contains it. */
  const stateOf = ({ state }: AdaptorView, { reported }: Hosted): string => reported?.state ?? state;

  const resume = async (adaptorUuid: string, revision: string, { outlet }: Hosted): Promise<void> => {
    const failure = await loadWebhookFailure(database.pool, adaptorUuid, revision);
    if (failure === undefined) return;
    const { failures, notBefore, detail } = failure;
    const afterMs = notBefore === null ? Infinity : Math.max(0, notBefore.getTime() - now().getTime());
    outlet.resume({ failures, afterMs, detail });
  };

  const retry = async (adaptorUuid: string, { outlet }: Hosted): Promise<void> => {
    if (outlet.condition.kind === 'FAILING') await removeWebhookFailure(database.pool, adaptorUuid);
    outlet.retry();
  };

  /** Reads changed metadata, with which the receiver is tried at once. The first time, the attempts of an earlier process count. */
  const followConfiguration = async (adaptorUuid: string, revision: string, host: Hosted): Promise<void> => {
    const known = host.configuration;
    if (known?.revision === revision) return;
    const configuration = await configure(adaptorUuid, revision);
    if (known === undefined) await resume(adaptorUuid, revision, host);
    else await retry(adaptorUuid, host);
    host.configuration = configuration;
    host.outlet.check();
  };

  /** Writes the failed attempts where the next process finds them. */
  const keepFailure = async (adaptorUuid: string, failed: FailedAttempts | undefined): Promise<void> => {
    const revision = hosted.get(adaptorUuid)?.configuration?.revision;
    if (failed === undefined || revision === undefined) return removeWebhookFailure(database.pool, adaptorUuid);
    const { failures, afterMs, detail } = failed;
    const notBefore = afterMs === Infinity ? null : new Date(now().getTime() + afterMs);
    await saveWebhookFailure(database.pool, adaptorUuid, revision, { failures, notBefore, detail });
  };

  const follow = async (adaptor: AdaptorView, host: Hosted): Promise<void> => {
    const { uuid, active, state: shown, webhookRevision: revision = '' } = adaptor;
    if (host.reported?.shown !== shown || host.reported.untilMs < performance.now()) host.reported = undefined;
    await followConfiguration(uuid, revision, host);
    const { outlet, configuration } = host;
    if (configuration === undefined) return;
    const { condition, isIdle } = outlet;
    const state = stateOf(adaptor, host);
    const next = nextReport({ active, state, condition, isIdle, fault: configuration.fault });
    if (next === undefined) return;
    if (next.state === state && next.message === host.message) return;
    if (next.retries === true) await retry(uuid, host);
    const reported = await catalog.report(uuid, next.state, next.message);
    host.message = next.message;
    if (reported !== undefined) {
      host.reported = { shown, state: reported, untilMs: performance.now() + viewDelayMs };
    }
    outlet.check();
  };

  /** Runs the adaptor when no other process does. */
  const lookAfter = async (adaptor: AdaptorView, { ingest, leases }: RunningPorts): Promise<void> => {
    const { uuid } = adaptor;
    if (!leases.holds(uuid) && !(await leases.acquire(uuid))) return;
    // it was on the bus before, or this process has not met it yet
    if (!hosted.has(uuid)) {
      ingest.drop([uuid]);
      await ingest.takeOver([uuid]);
    }
    const host = hosted.get(uuid);
    if (host !== undefined) await follow(adaptor, host);
  };

  /** Adaptors that are to be looked at; undefined: all. */
  let wanted: Set<string> | undefined = new Set();

  const lookAfterWanted = async (): Promise<void> => {
    const running = ports;
    if (running === undefined || closed) return;
    const among = wanted;
    wanted = new Set();
    if (among === undefined) {
      const gone = [...hosted.keys()].filter((uuid) => adaptorOf(uuid) === undefined);
      if (gone.length > 0) running.ingest.drop(gone);
    }
    for (const adaptor of view.catalog.webhookAdaptors()) {
      if (closed) return;
      if (among !== undefined && !among.has(adaptor.uuid)) continue;
      await lookAfter(adaptor, running).catch((error: unknown) =>
        log.warn({ err: error, adaptorUuid: adaptor.uuid }, 'a webhook adaptor could not be looked after, will repeat'),
      );
    }
  };
  const looking = createWakeable(lookAfterWanted, (error) =>
    log.warn({ err: error }, 'the webhook adaptors could not be looked after'),
  );
  const lookAtAll = (): void => {
    wanted = undefined;
    looking.wake();
  };
  const lookAt = (adaptorUuid: string): void => {
    wanted?.add(adaptorUuid);
    looking.wake();
  };

  const confirm = async (adaptorUuid: string, report: LinkReport): Promise<void> => {
    if (ports === undefined) throw new TypeError('a webhook was delivered before its adaptor ran');
    await ports.ingest.link(adaptorUuid, report);
  };

  const openOutlet: OpenVirtualOutlet = (adaptorUuid, channel) => {
    if (adaptorOf(adaptorUuid) === undefined) return undefined;
    const deliver: WebhookOutletDependencies['deliver'] = createWebhookDelivery({
      adaptorUuid,
      target: () => hosted.get(adaptorUuid)?.configuration?.target,
      sender,
      confirm,
      takeError,
      schedule,
      now,
    });
    const outlet = createWebhookOutlet({
      ...channel,
      plays: () => plays(adaptorUuid),
      deliver,
      onFailure: (failed) => keepFailure(adaptorUuid, failed),
      onCondition: () => lookAt(adaptorUuid),
      onStopped: () => {
        if (hosted.get(adaptorUuid)?.outlet === outlet) hosted.delete(adaptorUuid);
      },
    });
    hosted.set(adaptorUuid, { outlet, configuration: undefined, reported: undefined, message: undefined });
    lookAt(adaptorUuid);
    return outlet;
  };

  let repetition: Closable | undefined;
  return {
    openOutlet,
    start: (running) => {
      ports = running;
      view.onChanged(lookAtAll);
      repetition = repeatEvery({
        intervalMs: lookEveryMs,
        work: async () => lookAtAll(),
        log,
        onFailure: 'the webhook adaptors could not be looked after',
      });
      lookAtAll();
    },
    close: async () => {
      closed = true;
      await repetition?.close();
      await looking.settle();
      const outlets = [...hosted.values()].map(({ outlet }) => outlet);
      const settled = Promise.all(outlets.map((outlet) => outlet.settle()));
      await Promise.race([settled, delay(graceMs, undefined, { ref: false })]);
      for (const outlet of outlets) outlet.stop();
      await settled;
    },
  };
};
