export { compileMatching, type CompiledMatching } from './compile-matching.js';
export type { Candidate, CandidateKey, ComparisonResult, MatchResult, ScoredCandidate } from './match-result.js';
export { exactAlgorithm, type MatchingAlgorithm } from './matching-algorithm.js';
export { readMatchingAlgorithm, type KeyProperty } from './read-matching-algorithm.js';
