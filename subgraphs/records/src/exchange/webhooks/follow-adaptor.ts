import type { TargetRule } from '@fds/webhook-client';
import type { AdaptorView } from '../../domain/catalog.js';
import { reportInEffect, type Hosted } from './hosting-state.js';
import type { KeptFailures } from './kept-failures.js';
import { nextReport } from './next-report.js';
import { webhookConfiguration } from './webhook-configuration.js';
import type { WebhookCatalog } from './webhook-ports.js';

export interface Following {
  readonly catalog: WebhookCatalog;
  /** Which addresses a webhook adaptor may post to. */
  readonly rule: TargetRule;
  readonly failures: KeptFailures;
}

/** The change log is later than this only when something is wrong, and then the view counts. */
const viewDelayMs = 5_000;

const resume = async (adaptorUuid: string, revision: string, host: Hosted, failures: KeptFailures): Promise<void> => {
  const failed = await failures.load(adaptorUuid, revision);
  if (failed !== undefined) host.outlet.resume(failed);
};

const retry = async (adaptorUuid: string, { outlet }: Hosted, failures: KeptFailures): Promise<void> => {
  if (outlet.condition.kind === 'FAILING') await failures.remove(adaptorUuid);
  outlet.retry();
};

/** Reads changed metadata, with which the receiver is tried at once. The first time, the attempts of an earlier process count. */
const followConfiguration = async (
  { uuid, webhookRevision: revision = '' }: AdaptorView,
  host: Hosted,
  { catalog, rule, failures }: Following,
): Promise<void> => {
  const known = host.configuration;
  if (known?.revision === revision) return;
  const configuration = webhookConfiguration(revision, await catalog.loadMetadata(uuid), rule);
  if (known === undefined) await resume(uuid, revision, host, failures);
  else await retry(uuid, host, failures);
  host.configuration = configuration;
  host.outlet.check();
};

/** Answers the state that the catalog shows by a report, where one is due. */
const followState = async (adaptor: AdaptorView, host: Hosted, { catalog, failures }: Following): Promise<void> => {
  const { uuid, active, state: shown } = adaptor;
  const { outlet, configuration } = host;
  if (configuration === undefined) return;
  const { condition, isIdle } = outlet;
  const state = host.reported?.state ?? shown;
  const next = nextReport({ active, state, condition, isIdle, fault: configuration.fault });
  if (next === undefined) return;
  if (next.state === state && next.message === host.message) return;
  if (next.retries === true) await retry(uuid, host, failures);
  const reported = await catalog.report(uuid, next.state, next.message);
  host.message = next.message;
  if (reported !== undefined) {
    host.reported = { shown, state: reported, untilMs: performance.now() + viewDelayMs };
  }
  outlet.check();
};

/** Brings an adaptor that this process runs to the metadata and the state of the catalog. */
export const followAdaptor = async (adaptor: AdaptorView, host: Hosted, following: Following): Promise<void> => {
  host.reported = reportInEffect(host.reported, adaptor.state, performance.now());
  await followConfiguration(adaptor, host, following);
  await followState(adaptor, host, following);
};
