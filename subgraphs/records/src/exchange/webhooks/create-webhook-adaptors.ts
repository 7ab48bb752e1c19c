import { setTimeout as delay } from 'node:timers/promises';
import type { LinkReport } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { repeatEvery, type Closable, type Log } from '@fds/service';
import { defaultRetrySchedule } from '@fds/webhook-client';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { createAdaptorErrorTaker } from '../../issues/settlement/create-adaptor-error-taker.js';
import type { FailedAttempts } from '../domain/webhooks/receiver-state.js';
import { createWebhookOutlet } from '../relay/create-webhook-outlet.js';
import type { OpenVirtualOutlet } from '../relay/open-relay.js';
import { createWebhookDelivery } from './deliver-webhook.js';
import { followAdaptor } from './follow-adaptor.js';
import { createHostingState, plays, webhookAdaptorOf, type HostingState, type RunningPorts } from './hosting-state.js';
import { createKeptFailures } from './kept-failures.js';
import { lookAfterAdaptors } from './look-after-adaptors.js';
import type { WebhookPorts } from './webhook-ports.js';

/** The webhook adaptors that this process runs. */
export interface WebhookAdaptors extends Closable {
  /** The outlet of a webhook adaptor; undefined for an adaptor on the bus. */
  readonly openOutlet: OpenVirtualOutlet;
  /** Begins to run the adaptors that no other process runs. */
  start(ports: RunningPorts): void;
}

export interface WebhookAdaptorsDependencies extends WebhookPorts {
  readonly database: Database;
  readonly view: CatalogView;
  readonly log: Log;
  readonly now: () => Date;
}

/** The change log reports every change; this is for processes that died. */
const lookEveryMs = 1_000;
/** Time for requests under way when the process ends. */
const graceMs = 2_000;

/** Waits for the requests under way, and ends those that take too long. */
const endOutlets = async ({ hosted }: HostingState): Promise<void> => {
  const outlets = [...hosted.values()].map(({ outlet }) => outlet);
  const settled = Promise.all(outlets.map((outlet) => outlet.settle()));
  await Promise.race([settled, delay(graceMs, undefined, { ref: false })]);
  for (const outlet of outlets) outlet.stop();
  await settled;
};

export const createWebhookAdaptors = (dependencies: WebhookAdaptorsDependencies): WebhookAdaptors => {
  const { database, view, log, now, sender, catalog, rule, schedule = defaultRetrySchedule } = dependencies;
  const takeError = createAdaptorErrorTaker({ database });
  const failures = createKeptFailures(database.pool, now);
  const state = createHostingState();
  const { hosted } = state;
  const lookout = lookAfterAdaptors({
    state,
    view,
    follow: (adaptor, host) => followAdaptor(adaptor, host, { catalog, rule, failures }),
    log,
  });

  const confirm = async (adaptorUuid: string, report: LinkReport): Promise<void> => {
    if (state.ports === undefined) throw new TypeError('a webhook was delivered before its adaptor ran');
    await state.ports.ingest.link(adaptorUuid, report);
  };

  /** Keeps the failed attempts where the next process finds them. */
  const keepFailure = (adaptorUuid: string, failed: FailedAttempts | undefined): Promise<void> => {
    const revision = hosted.get(adaptorUuid)?.configuration?.revision;
    return failed === undefined || revision === undefined
      ? failures.remove(adaptorUuid)
      : failures.save(adaptorUuid, revision, failed);
  };

  const openOutlet: OpenVirtualOutlet = (adaptorUuid, channel) => {
    if (webhookAdaptorOf(view, adaptorUuid) === undefined) return undefined;
    const target = () => hosted.get(adaptorUuid)?.configuration?.target;
    const outlet = createWebhookOutlet({
      ...channel,
      plays: () => plays(state, view, adaptorUuid),
      deliver: createWebhookDelivery({ adaptorUuid, target, sender, confirm, takeError, schedule, now }),
      onFailure: (failed) => keepFailure(adaptorUuid, failed),
      onCondition: () => lookout.one(adaptorUuid),
      onStopped: () => {
        if (hosted.get(adaptorUuid)?.outlet === outlet) hosted.delete(adaptorUuid);
      },
    });
    hosted.set(adaptorUuid, { outlet, configuration: undefined, reported: undefined, message: undefined });
    lookout.one(adaptorUuid);
    return outlet;
  };

  let repetition: Closable | undefined;
  return {
    openOutlet,
    start: (ports) => {
      state.ports = ports;
      view.onChanged(lookout.all);
      repetition = repeatEvery({
        intervalMs: lookEveryMs,
        work: async () => lookout.all(),
        log,
        onFailure: 'the webhook adaptors could not be looked after',
      });
      lookout.all();
    },
    close: async () => {
      state.closed = true;
      await repetition?.close();
      await lookout.settle();
      await endOutlets(state);
    },
  };
};
