import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { AdaptorSlots } from '../metrics/adaptor-slots.js';
import {
  createDeploymentMetrics,
  type DeploymentFigures,
  type DeploymentMetrics,
} from '../metrics/deployment-metrics.js';
import { createEventMetrics, type EventMetrics } from '../metrics/event-metrics.js';
import { createHistogram } from '../metrics/histogram.js';
import { createShowFigure, type ShowFigure } from '../metrics/live-figures.js';
import { createTrafficMetrics, type TrafficMetrics } from '../metrics/traffic-metrics.js';
import { createAssemblyMetrics, type AssemblyMetrics } from './assembly-metrics.js';
import { bounds, type CountBoundHit } from './bounds.js';

/** The figures of a process for `GET /metrics`. */
export interface ServiceMetrics {
  readonly contentType: string;
  /** In the Prometheus text format. */
  text(): Promise<string>;
  /** Counts a crossing data event. */
  countCrossing(outcome: 'OVERRODE' | 'LATE'): void;
  readonly countBoundHit: CountBoundHit;
  readonly assembly: AssemblyMetrics;
  readonly traffic: TrafficMetrics;
  readonly events: EventMetrics;
  /** Notes the time that work waited for a connection of a share of the database. */
  noteDatabaseWait(share: string, ms: number): void;
  readonly show: ShowFigure;
  /** Sets the function that reads the figures of the deployment. It is called when the figures are read. It must not throw. */
  showDeployment(read: () => Promise<DeploymentFigures | undefined>): void;
}

export interface ServiceMetricsOptions {
  /** Number of adaptors with separate series. Default 0: no series names an adaptor. */
  readonly maxAdaptors?: number;
}

/** Gauges of prom-client with the ending of counters. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Each call creates separate figures. */
export const createServiceMetrics = ({ maxAdaptors = 0 }: ServiceMetricsOptions = {}): ServiceMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const crossings = new Counter({
    name: 'fds_crossing_events_total',
    help: 'Data events that their source made without having seen others of the record, by result',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // shows 0 before the first crossing
  for (const outcome of ['overrode', 'late']) crossings.inc({ outcome }, 0);
  const boundHits = new Counter({
    name: 'fds_bounds_hit_total',
    help: 'Requests, messages and connections that were refused, cut or ended because they reached a bound, by bound',
    labelNames: ['bound'],
    registers: [registry],
  });
  for (const bound of bounds) boundHits.inc({ bound }, 0);
  const slots = new AdaptorSlots(maxAdaptors);
  const traffic = createTrafficMetrics(registry);
  const events = createEventMetrics(registry, slots);
  const waits = createHistogram({
    name: 'fds_db_wait_seconds',
    help: 'Time that work waits for a connection to the database, by share',
    buckets: [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    labelsOf: (share = '') => ({ share }),
  });
  const deployment: DeploymentMetrics = createDeploymentMetrics(registry, slots, maxAdaptors > 0, events.forget);
  let readDeployment: () => Promise<DeploymentFigures | undefined> = async () => undefined;
  return {
    contentType: registry.contentType,
    text: async () => {
      const figures = await readDeployment();
      if (figures === undefined) deployment.clear();
      else deployment.show(figures);
      return [await registry.metrics(), traffic.text(), events.text(), waits.text()].join('\n');
    },
    countCrossing: (outcome) => crossings.inc({ outcome: outcome.toLowerCase() }),
    countBoundHit: (bound) => boundHits.inc({ bound }),
    assembly: createAssemblyMetrics(registry),
    traffic,
    events,
    noteDatabaseWait: (share, ms) => waits.series(share).observe(ms / 1000),
    show: createShowFigure(registry),
    showDeployment: (read) => {
      readDeployment = read;
    },
  };
};
