import type { JsonObject, JsonValue } from '@fds/json';
import type { Comparison } from './matching-algorithm.js';

/** A catalogued record with all keys that it is known by: its own, and that of every link. */
export interface Candidate {
  readonly uuid: string;
  readonly keys: readonly CandidateKey[];
}

export interface CandidateKey {
  /** The adaptor whose link has the key; null: the record's own key. */
  readonly adaptorUuid: string | null;
  readonly drKey: JsonObject;
}

/** The result of one comparison. */
export interface ComparisonResult extends Comparison {
  /** The incoming value. */
  readonly source: JsonValue;
  /** The catalogued one. */
  readonly destination: JsonValue;
  readonly holds: boolean;
  /** Of scores. */
  readonly weight?: number;
}

/** A candidate by the best of its keys. */
export interface ScoredCandidate extends CandidateKey {
  readonly uuid: string;
  /** Null where the algorithm gives none. */
  readonly score: number | null;
  /** RULES: the comparisons of the first true rule. SCORED: the scores, those that do not hold too. */
  readonly comparisons: readonly ComparisonResult[];
}

/** The best candidate first; the oldest record first among equals (docs/reference/matching.md#outcome). */
export type MatchResult =
  | { readonly status: 'NEW' }
  | { readonly status: 'RESOLVED'; readonly match: ScoredCandidate }
  | { readonly status: 'AMBIGUOUS'; readonly candidates: readonly ScoredCandidate[] }
  | { readonly status: 'PRESUMED_NEW'; readonly candidates: readonly ScoredCandidate[] }
  | {
      readonly status: 'PRESUMED_MATCH';
      readonly match: ScoredCandidate;
      readonly candidates: readonly ScoredCandidate[];
    };
