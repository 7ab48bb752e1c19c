import { Gauge, type Registry } from 'prom-client';
import type { AdaptorSlots, NamedAdaptor } from './adaptor-slots.js';
import type { Labels } from './histogram.js';

/** An adaptor with its state. */
interface AdaptorState extends NamedAdaptor {
  readonly state: string;
}

/** Figures of the whole deployment, which are in the database. Absent: this process does not run the part that owns them. */
export interface DeploymentFigures {
  /** Every adaptor, in a fixed order. */
  readonly adaptors: readonly AdaptorState[];
  /** Shows the states of adaptors. */
  readonly showsStates: boolean;
  readonly records?:
    | {
        readonly queues: readonly {
          readonly adaptorUuid: string;
          readonly messages: number;
          readonly oldestSeconds: number;
        }[];
        readonly issues: readonly {
          readonly adaptorUuid: string | null;
          readonly exception: string;
          readonly count: number;
        }[];
        readonly reconciliations: Readonly<Record<string, number>>;
        readonly behindMessages: number;
      }
    | undefined;
  readonly webhooks?: { readonly messages: number; readonly oldestSeconds: number } | undefined;
}

const adaptorStates = ['DOWN', 'DOWN_PAUSED', 'STARTING', 'STARTED', 'PAUSING', 'PAUSED', 'ERROR'];
const exceptions = ['PARSING', 'MATCHING', 'ADAPTOR', 'OTHER'];
const reconciliationStatuses = ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'];

/** Shows figures of the deployment. */
export interface DeploymentMetrics {
  show(figures: DeploymentFigures): void;
  /** Shows none: they could not be read, and old ones would mislead. */
  clear(): void;
}

/**
 * @param isNamed figures also have the labels of adaptors
 * @param onGone called with the adaptors that lost their series
 */
export const createDeploymentMetrics = (
  registry: Registry,
  slots: AdaptorSlots,
  isNamed: boolean,
  onGone: (adaptorUuids: readonly string[]) => void,
): DeploymentMetrics => {
  const gauge = (name: string, help: string, ...labelNames: readonly string[]): Gauge =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const adaptorLabels = isNamed ? ['adaptor', 'zone'] : [];
  const queueMessages = gauge('fds_queue_messages', 'Messages to adaptors that are not acknowledged', ...adaptorLabels);
  const queueOldest = gauge(
    'fds_queue_oldest_seconds',
    'Age of the oldest message to an adaptor that is not acknowledged; 0: none waits',
    ...adaptorLabels,
  );
  const states = gauge('fds_adaptors', 'Adaptors by state', 'state', ...adaptorLabels);
  const issues = gauge('fds_issues_open', 'Open data issues by exception', 'exception', ...adaptorLabels);
  const reconciliations = gauge('fds_reconciliations', 'Reconciliations by status', 'status');
  const behind = gauge(
    'fds_hub_behind_messages',
    'Messages that adaptors have, or had acknowledged, and that a restored database does not remember',
  );
  const webhookMessages = gauge('fds_webhook_queue_messages', 'Notifications that wait for their webhook receivers');
  const webhookOldest = gauge(
    'fds_webhook_oldest_seconds',
    'Age of the oldest notification that waits for its webhook receiver; 0: none waits',
  );
  const all = [queueMessages, queueOldest, states, issues, reconciliations, behind, webhookMessages, webhookOldest];

  const labelsOf = (adaptorUuid: string | null): Labels =>
    slots.labelsOf(adaptorUuid === null ? '' : slots.keyOf(adaptorUuid)) ?? slots.labelsOf('') ?? {};

  const clear = (): void => {
    for (const each of all) each.reset();
    // a gauge without labels shows 0 after a reset
    for (const each of isNamed
      ? [behind, webhookMessages, webhookOldest]
      : [queueMessages, queueOldest, behind, webhookMessages, webhookOldest])
      each.remove();
  };
  clear();

  const showRecords = (
    { queues, issues: open, reconciliations: jobs, behindMessages }: NonNullable<DeploymentFigures['records']>,
    adaptors: readonly AdaptorState[],
  ): void => {
    // shows 0 where nothing waits
    const places = isNamed ? adaptors.map(({ uuid }) => labelsOf(uuid)) : [{}];
    for (const labels of places) {
      queueMessages.set(labels, 0);
      queueOldest.set(labels, 0);
      for (const exception of exceptions) issues.set({ exception, ...labels }, 0);
    }
    const oldest = new Map<string, number>();
    for (const { adaptorUuid, messages, oldestSeconds } of queues) {
      const labels = labelsOf(adaptorUuid);
      queueMessages.inc(labels, messages);
      const place = JSON.stringify(labels);
      oldest.set(place, Math.max(oldest.get(place) ?? 0, oldestSeconds));
      queueOldest.set(labels, oldest.get(place) ?? 0);
    }
    for (const { adaptorUuid, exception, count } of open) issues.inc({ exception, ...labelsOf(adaptorUuid) }, count);
    for (const status of reconciliationStatuses) reconciliations.set({ status }, jobs[status] ?? 0);
    behind.set(behindMessages);
  };

  return {
    clear,
    show: ({ adaptors, showsStates, records, webhooks }) => {
      clear();
      onGone(slots.renew(adaptors));
      if (showsStates) {
        for (const state of isNamed ? [] : adaptorStates) states.set({ state }, 0);
        for (const { uuid, state } of adaptors) states.inc({ state, ...labelsOf(uuid) }, 1);
      }
      if (records !== undefined) showRecords(records, adaptors);
      if (webhooks !== undefined) {
        webhookMessages.set(webhooks.messages);
        webhookOldest.set(webhooks.oldestSeconds);
      }
    },
  };
};
