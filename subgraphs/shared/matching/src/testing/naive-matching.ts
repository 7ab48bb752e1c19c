import type { JsonObject, JsonValue } from '@fds/json';
import { foldCase, foldText } from '../comparators/fold-text.js';
import type { Candidate } from '../match-result.js';
import type { Comparison, MatchingAlgorithm } from '../matching-algorithm.js';

const naiveDistance = (a: string, b: string): number => {
  const known = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return a.length - i + b.length - j;
    const place = `${i} ${j}`;
    const distance =
      known.get(place) ??
      (a[i] === b[j] ? from(i + 1, j + 1) : 1 + Math.min(from(i + 1, j + 1), from(i + 1, j), from(i, j + 1)));
    known.set(place, distance);
    return distance;
  };
  return from(0, 0);
};

const dayMs = 86_400_000;

const naiveHolds = ({ comparator, maxEdits, length, tolerance }: Comparison, a: JsonValue, b: JsonValue): boolean => {
  if (a === null || b === null || typeof a === 'object' || typeof b === 'object') return false;
  const [left, right] = [foldText(String(a)), foldText(String(b))];
  const isNothing = left === '' || right === '';
  switch (comparator) {
    case 'EXACT':
      return a === b;
    case 'IGNORE_CASE':
      return foldCase(String(a)) === foldCase(String(b));
    case 'NORMALIZED':
      return !isNothing && left === right;
    case 'PREFIX':
      return !isNothing && left.slice(0, length ?? 0) === right.slice(0, length ?? 0);
    case 'FUZZY':
      return !isNothing && naiveDistance(left, right) <= (maxEdits ?? 2);
    case 'WITHIN':
      return typeof a === 'number' && typeof b === 'number'
        ? Math.abs(a - b) <= (tolerance ?? 0)
        : Math.abs(Date.parse(String(a)) - Date.parse(String(b))) <= (tolerance ?? 0) * dayMs;
    case 'PHONETIC':
      throw new TypeError('not naive');
  }
};

/** Status and records, best first, computed for every pair and written straight from the specification. */
export const naiveMatch = (
  algorithm: MatchingAlgorithm,
  source: JsonObject,
  candidates: readonly Candidate[],
): { readonly status: string; readonly uuids: readonly string[] } => {
  const holds = (comparison: Comparison, key: JsonObject): boolean =>
    naiveHolds(comparison, source[comparison.property] ?? null, key[comparison.property] ?? null);
  const best = candidates.flatMap(({ uuid, keys }) => {
    const scores = keys.flatMap(({ drKey }) => {
      if (!algorithm.rules.some(({ all }) => all.every((comparison) => holds(comparison, drKey)))) return [];
      if (algorithm.type === 'RULES') return [0];
      const score = algorithm.scores.reduce((sum, one) => (holds(one, drKey) ? sum + one.weight : sum), 0);
      return score >= algorithm.thresholds.review ? [score] : [];
    });
    return scores.length === 0 ? [] : [{ uuid, score: Math.max(...scores) }];
  });
  best.sort((a, b) => b.score - a.score || (a.uuid < b.uuid ? -1 : 1));
  const uuids = best.map(({ uuid }) => uuid);
  const matches = algorithm.type === 'RULES' ? best : best.filter(({ score }) => score >= algorithm.thresholds.match);
  if (uuids.length === 0) return { status: 'NEW', uuids };
  if (matches.length === 1) return { status: 'RESOLVED', uuids: matches.map(({ uuid }) => uuid) };
  const onReview = algorithm.type === 'SCORED' ? algorithm.onReview : undefined;
  if (onReview === 'PRESUME_MATCH') return { status: 'PRESUMED_MATCH', uuids };
  return { status: onReview === 'PRESUME_NEW' ? 'PRESUMED_NEW' : 'AMBIGUOUS', uuids };
};
