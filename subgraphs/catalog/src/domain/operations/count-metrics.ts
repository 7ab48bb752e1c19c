/** Periods for which data events are counted. */
export const metricPeriods = ['ALL_TIME', 'DAY', 'HOUR', 'MINUTE'] as const;
export type MetricPeriod = (typeof metricPeriods)[number];

/** From the adaptor's point of view: SENT to the server, RECEIVED from it. */
const metricTypes = ['SENT', 'RECEIVED'] as const;
type MetricType = (typeof metricTypes)[number];

/** Data events of a period, which is identified by its start. */
export interface PeriodCount {
  readonly date: Date;
  readonly sent: number;
  readonly received: number;
}

/** The counts of an adaptor that the server knows. */
export interface KnownCounts {
  /** Its date is the time of counting; undefined before the first report. */
  readonly total: PeriodCount | undefined;
  /** Ascending. */
  readonly periods: Readonly<Partial<Record<Exclude<MetricPeriod, 'ALL_TIME'>, readonly PeriodCount[]>>>;
}

/** A history in the form of the specification (docs/reference/adaptor-operations.md#endpoints). */
export interface AdaptorMetric {
  readonly type: MetricType;
  readonly period: MetricPeriod;
  readonly dateCount: readonly { readonly date: Date; readonly count: number }[];
}

/** The requested periods; null means all. */
export interface MetricSelection {
  readonly type?: MetricType | null;
  readonly period?: MetricPeriod | null;
}

const countOf = (type: MetricType, { sent, received }: PeriodCount): number => (type === 'SENT' ? sent : received);

/** Creates a history for each type and period. Periods without events are left out, except for the total. */
export const countMetrics = (
  { total, periods }: KnownCounts,
  { type, period }: MetricSelection = {},
): readonly AdaptorMetric[] => {
  const countsOf = (one: MetricPeriod): readonly PeriodCount[] =>
    one === 'ALL_TIME' ? (total === undefined ? [] : [total]) : (periods[one] ?? []);
  return metricTypes
    .filter((one) => (type ?? one) === one)
    .flatMap((ofType) =>
      metricPeriods
        .filter((one) => (period ?? one) === one)
        .map((ofPeriod) => ({
          type: ofType,
          period: ofPeriod,
          dateCount: countsOf(ofPeriod)
            .map((counted) => ({ date: counted.date, count: countOf(ofType, counted) }))
            .filter(({ count }) => ofPeriod === 'ALL_TIME' || count > 0),
        })),
    );
};
