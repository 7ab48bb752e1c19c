/** Limits for the cost of one expression. Longer lists of records go into `dr-uuids`. */
export const queryLimits = {
  /** UTF-16 units of the whole expression. */
  maxLength: 10_000,
  /** Tests of a property. */
  maxTests: 500,
  /** Groups within groups. */
  maxDepth: 50,
  /** `*` and `?` of one term. */
  maxWildcards: 20,
  /** Terms of one expression with a wildcard. An index serves those that begin with text. */
  maxWildcardTerms: 50,
  /** Terms of one expression that begin with a wildcard: each one reads every key, if no trigram index serves it. */
  maxLeadingWildcards: 10,
  /** Characters of a fuzzy term. */
  maxFuzzyLength: 200,
  /** Fuzzy terms of one expression: each one costs up to three times as much as a leading wildcard. */
  maxFuzzyTerms: 10,
  /** Largest count of a repetition in a regular expression. */
  maxRepeats: 255,
  /** Characters of a regular expression once its repetitions are written out. */
  maxPatternSize: 500,
  /** Regular expressions of one query expression. */
  maxPatterns: 10,
} as const;
