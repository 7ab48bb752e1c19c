import type { JsonObject } from '@fds/json';
import { Big } from 'big.js';
import { compileTokens, type Tokens } from './compile-tokens.js';
import { CompiledComparisons, type CompiledComparison } from './compiled-comparisons.js';
import type { Candidate, CandidateKey, ComparisonResult, MatchResult, ScoredCandidate } from './match-result.js';
import type { MatchingAlgorithm, OnReview } from './matching-algorithm.js';

/** A matching algorithm of a domain version, ready to be asked. Pure. */
export interface CompiledMatching {
  readonly type: MatchingAlgorithm['type'];
  readonly tokens: Tokens;
  /**
   * Which of the records an incoming key means.
   *
   * @param candidates at least those that share a token with the key; others do no harm
   */
  match(source: JsonObject, candidates: readonly Candidate[]): MatchResult;
}

/** How sure a candidate is: MATCH by itself, or only worth a look. */
type Grade = 'MATCH' | 'REVIEW';

interface GradedCandidate {
  readonly grade: Grade;
  readonly candidate: ScoredCandidate;
}

const zero = new Big(0);

const resultOf = (
  { definition, property }: CompiledComparison,
  { source, destination }: { readonly source: JsonObject; readonly destination: JsonObject },
  holds: boolean,
): ComparisonResult => ({
  ...Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined && value !== null)),
  property,
  comparator: definition.comparator,
  source: source[property] ?? null,
  destination: destination[property] ?? null,
  holds,
});

const isBetter = (a: GradedCandidate, b: GradedCandidate): number =>
  (b.candidate.score ?? 0) - (a.candidate.score ?? 0) || (a.candidate.uuid < b.candidate.uuid ? -1 : 1);

const conclude = (graded: readonly GradedCandidate[], onReview: OnReview): MatchResult => {
  const [first, ...others] = graded.toSorted(isBetter);
  if (first === undefined) return { status: 'NEW' };
  const matches = [first, ...others].filter(({ grade }) => grade === 'MATCH');
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return { status: 'RESOLVED', match: match.candidate };
  const candidates = [first, ...others].map(({ candidate }) => candidate);
  if (onReview === 'PRESUME_MATCH') return { status: 'PRESUMED_MATCH', match: first.candidate, candidates };
  return { status: onReview === 'PRESUME_NEW' ? 'PRESUMED_NEW' : 'AMBIGUOUS', candidates };
};

/**
 * Compiles what `readMatchingAlgorithm` accepted.
 *
 * @param decimals DR Key properties of format decimal. Default: none
 */
export const compileMatching = (
  algorithm: MatchingAlgorithm,
  drKeyProperties: readonly string[],
  decimals: ReadonlySet<string> = new Set(),
): CompiledMatching => {
  const comparisons = new CompiledComparisons(drKeyProperties, decimals);
  const rules = algorithm.rules.map(({ all }) => all.map((definition) => comparisons.add(definition)));
  const scores = (algorithm.type === 'SCORED' ? algorithm.scores : []).map((score) => ({
    comparison: comparisons.add(score),
    weight: new Big(score.weight),
    shown: score.weight,
  }));
  const thresholds =
    algorithm.type === 'SCORED'
      ? { match: new Big(algorithm.thresholds.match), review: new Big(algorithm.thresholds.review) }
      : undefined;

  const gradeKey = (source: JsonObject, uuid: string, key: CandidateKey): GradedCandidate | undefined => {
    const pair = { source, destination: key.drKey };
    const holds = comparisons.compare(source, key.drKey);
    const rule = rules.find((all) => all.every(holds));
    if (rule === undefined) return undefined;
    if (thresholds === undefined) {
      const held = rule.map((comparison) => resultOf(comparison, pair, true));
      return { grade: 'MATCH', candidate: { uuid, ...key, score: null, comparisons: held } };
    }
    const score = scores.reduce((sum, { comparison, weight }) => (holds(comparison) ? sum.plus(weight) : sum), zero);
    if (score.lt(thresholds.review)) return undefined;
    return {
      grade: score.gte(thresholds.match) ? 'MATCH' : 'REVIEW',
      candidate: {
        uuid,
        ...key,
        score: score.toNumber(),
        comparisons: scores.map(({ comparison, shown }) => ({
          ...resultOf(comparison, pair, holds(comparison)),
          weight: shown,
        })),
      },
    };
  };

  return {
    type: algorithm.type,
    tokens: compileTokens(comparisons, rules),
    match: (source, candidates) => {
      const graded = candidates.flatMap(({ uuid, keys }) => {
        const [best] = keys.flatMap((key) => gradeKey(source, uuid, key) ?? []).toSorted(isBetter);
        return best ?? [];
      });
      return conclude(graded, (algorithm.type === 'SCORED' ? algorithm.onReview : null) ?? 'HOLD');
    },
  };
};
