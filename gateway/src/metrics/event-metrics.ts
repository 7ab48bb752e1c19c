import { Counter, type Registry } from 'prom-client';
import type { AdaptorSlots } from './adaptor-slots.js';
import { createHistogram } from './histogram.js';

/** The outcomes of each stage of a data event. */
const stages = {
  received: ['accepted', 'duplicate', 'gap', 'postponed', 'malformed'],
  committed: ['changed', 'unchanged', 'issue'],
  matched: ['resolved', 'presumed_new', 'presumed_match', 'ambiguous'],
  routed: ['queued', 'denied'],
  sent: ['sent', 'sent_again', 'failed'],
  acknowledged: ['acknowledged'],
} as const;

type Stage = keyof typeof stages;

/** The figures of data events: a port of the records subgraph. */
export interface EventMetrics {
  countEvents<S extends Stage>(stage: S, outcome: (typeof stages)[S][number], count: number): void;
  /** Notes the time since the adaptor made the event, in milliseconds. */
  noteAge(stage: 'committed' | 'acknowledged', adaptorUuid: string, ms: number): void;
  /** Forgets the series of deleted adaptors. */
  forget(adaptorUuids: readonly string[]): void;
  /** The histogram in the Prometheus text format. */
  text(): string;
}

export const createEventMetrics = (registry: Registry, slots: AdaptorSlots): EventMetrics => {
  const events = new Counter({
    name: 'fds_events_total',
    help: 'Data events by stage and outcome; docs/operations/monitoring/README.md explains them',
    labelNames: ['stage', 'outcome'],
    registers: [registry],
  });
  // shows 0 before the first event
  for (const [stage, outcomes] of Object.entries(stages)) {
    for (const outcome of outcomes) events.inc({ stage, outcome }, 0);
  }
  const ages = createHistogram({
    name: 'fds_event_age_seconds',
    help: 'Time from the createTime of a data event to its commit, and to the acknowledgement of its destination',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21600, 86400],
    labelsOf: (stage = '', slot = '') => {
      const adaptor = slots.labelsOf(slot);
      return adaptor && { stage, ...adaptor };
    },
  });
  return {
    countEvents: (stage, outcome, count) => {
      if (count > 0) events.inc({ stage, outcome }, count);
    },
    // the clock of an adaptor may be ahead
    noteAge: (stage, adaptorUuid, ms) => ages.series(stage, slots.keyOf(adaptorUuid)).observe(Math.max(0, ms) / 1000),
    forget: (adaptorUuids) => {
      for (const uuid of adaptorUuids) ages.forget(uuid);
    },
    text: () => ages.text(),
  };
};
