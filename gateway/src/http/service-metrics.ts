import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { createAssemblyMetrics, type AssemblyMetrics } from './assembly-metrics.js';
import { bounds, type CountBoundHit } from './bounds.js';

/** The figures of a process, as `GET /metrics` shows them. */
export interface ServiceMetrics {
  readonly contentType: string;
  /** In the Prometheus text format. */
  text(): Promise<string>;
  /** Counts a data event that crossed others. */
  countCrossing(outcome: 'OVERRODE' | 'LATE'): void;
  readonly countBoundHit: CountBoundHit;
  readonly assembly: AssemblyMetrics;
}

/** Separate figures: two of them share nothing. */
export const createServiceMetrics = (): ServiceMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const crossings = new Counter({
    name: 'fds_crossing_events_total',
    help: 'Data events that their source made without having seen others of the record, by result',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // shown before the first of them
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
