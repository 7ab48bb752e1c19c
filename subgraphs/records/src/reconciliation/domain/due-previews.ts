import type { ReconciliationPolicy } from './plan-effects.js';

/** An adaptor and a version that its zone compares regularly. */
export interface ScheduledPair {
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly everyHours: number;
  readonly policy: Omit<ReconciliationPolicy, 'preview'>;
}

/** The last reconciliation of a pair that compared everything, or one that runs. */
export interface LastReconciliation {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly status: 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED';
  readonly startedAtMs: number;
}

const hourMs = 3_600_000;
/** A preview that failed is repeated after this time, because an adaptor that is away may come back soon. */
const afterFailureHours = 1;

const pairKey = (pair: Pick<ScheduledPair, 'adaptorUuid' | 'domainVersionUuid'>): string =>
  `${pair.adaptorUuid} ${pair.domainVersionUuid}`;

/**
 * The pairs whose preview is due: first those that were never compared, then those that have waited longest. A reconciliation that a
 * person started counts, too, so no pair is compared more often than the schedule says.
 */
export const duePreviews = (
  pairs: readonly ScheduledPair[],
  last: readonly LastReconciliation[],
  nowMs: number,
): readonly ScheduledPair[] => {
  const known = new Map(last.map((each) => [pairKey(each), each]));
  const startedAt = (pair: ScheduledPair): number => known.get(pairKey(pair))?.startedAtMs ?? Number.NEGATIVE_INFINITY;
  return pairs
    .filter((pair) => {
      const { status, startedAtMs = Number.NEGATIVE_INFINITY } = known.get(pairKey(pair)) ?? {};
      if (status === 'RUNNING') return false;
      const hours = status === 'FAILED' ? Math.min(afterFailureHours, pair.everyHours) : pair.everyHours;
      return startedAtMs + hours * hourMs <= nowMs;
    })
    .toSorted((one, other) => {
      const [first, second] = [startedAt(one), startedAt(other)];
      if (first !== second) return first < second ? -1 : 1;
      return pairKey(one) < pairKey(other) ? -1 : 1;
    });
};
