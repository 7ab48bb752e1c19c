import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
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
}

/** Each call creates separate figures. */
export const createServiceMetrics = (): ServiceMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countCrossing: (outcome) => crossings.inc({ outcome: outcome.toLowerCase() }),
    countBoundHit: (bound) => boundHits.inc({ bound }),
    assembly: createAssemblyMetrics(registry),
  };
};
