import type { JsonObject } from '@fds/json';

/** How two values of a DR Key property are compared; see docs/reference/matching.md. */
export type ComparatorName = 'EXACT' | 'IGNORE_CASE' | 'NORMALIZED' | 'FUZZY' | 'PREFIX' | 'PHONETIC' | 'WITHIN';

export interface Comparison {
  /** A DR Key property, ignoring case. */
  readonly property: string;
  readonly comparator: ComparatorName;
  /** Of FUZZY: insertions, deletions and replacements at most. Default 2. */
  readonly maxEdits?: number | null;
  /** Of PREFIX: characters that count. */
  readonly length?: number | null;
  /** Of WITHIN: the largest difference; of dates and times in days. */
  readonly tolerance?: number | null;
}

interface WeightedComparison extends Comparison {
  readonly weight: number;
}

/** Holds when all of its comparisons do. */
interface MatchingRule {
  readonly all: readonly Comparison[];
}

/** What an event becomes that is neither sure to match nor sure to be new. */
export type OnReview = 'HOLD' | 'PRESUME_NEW' | 'PRESUME_MATCH';

/** How a domain version tells whether two DR Keys are of one record (decisions, section 6). EXACT is the absence of one. */
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
