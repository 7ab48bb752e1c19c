import type { AdaptorLog } from '../adaptor.js';
import type { EventCounts } from '../journal/event-history.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';

/**
 * Logs the counts of data events from time to time, where the properties want it.
 *
 * @returns a function that ends it
 */
export const logCounts = (
  { enableMetrics, metricsLogIntervalMs }: Pick<AdaptorProperties, 'enableMetrics' | 'metricsLogIntervalMs'>,
  counts: Pick<EventCounts, 'totals'>,
  log: AdaptorLog,
): (() => void) => {
  if (!enableMetrics) return () => undefined;
  const timer = setInterval(() => log.info(counts.totals(), 'data events so far'), metricsLogIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
};
