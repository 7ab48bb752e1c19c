import type { JsonObject } from '@fds/json';

/** How two values of a DR Key property are compared; see docs/reference/matching.md. */
export type ComparatorName = 'EXACT' | 'IGNORE_CASE' | 'NORMALIZED' | 'FUZZY' | 'PREFIX' | 'PHONETIC' | 'WITHIN';

export interface Comparison {
  /** A DR Key property, ignoring case. */
  readonly property: string;
  readonly comparator: ComparatorName;
  /** FUZZY: the largest number of insertions, deletions and replacements. Default 2. */
  readonly maxEdits?: number | null;
  /** PREFIX: the number of characters that count. */
  readonly length?: number | null;
  /** WITHIN: the largest difference; in days for dates and times. */
  readonly tolerance?: number | null;
}

interface WeightedComparison extends Comparison {
  readonly weight: number;
}

/** Holds when all of its comparisons do. */
interface MatchingRule {
  readonly all: readonly Comparison[];
}

/** The outcome of an event that neither matches for sure nor is new for sure. */
export type OnReview = 'HOLD' | 'PRESUME_NEW' | 'PRESUME_MATCH';

/**
 * The way in which a domain version decides whether two DR Keys belong to one record
 * (docs/reference/matching.md#the-algorithm). EXACT is the
 * absence of one.
 */
export type MatchingAlgorithm =
  | { readonly type: 'RULES'; readonly rules: readonly MatchingRule[] }
  | {
      readonly type: 'SCORED';
      /** Select candidates. */
      readonly rules: readonly MatchingRule[];
      readonly scores: readonly WeightedComparison[];
      readonly thresholds: { readonly match: number; readonly review: number };
      readonly onReview?: OnReview | null;
    };

/** The default algorithm: case-sensitive match on all DR Key values. */
export const exactAlgorithm: JsonObject = { type: 'EXACT' };
