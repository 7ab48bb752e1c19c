export { checkSearchQuery } from './condition/check-search-query.js';
export { conditionPlaceholders, type ConditionPlaceholder } from './condition/condition-placeholders.js';
export { conditionProperties } from './condition/condition-properties.js';
export { readConditionValue } from './condition/condition-value.js';
export { evaluateCondition, type PlaceholderValues, type SearchedRecord } from './evaluate/evaluate-condition.js';
export { compareDecimals } from './values/compare-decimals.js';
export { compareText } from './values/compare-text.js';
export { foldedLetters, foldText } from './values/fold-text.js';
export { parseSearchQuery, type ParseOptions } from './expression/parse-search-query.js';
export type { CodePointRange, PatternNode } from './pattern/pattern-node.js';
export { printPattern, type PatternDialect } from './pattern/print-pattern.js';
export { placeholdersOf } from './expression/placeholders-of.js';
export { printSearchQuery } from './expression/print-search-query.js';
export { queryLimits } from './faults/query-limits.js';
export {
  comparisonOf,
  type Comparison,
  type ConditionBound,
  type ConditionTest,
  type ConditionValue,
  type SearchCondition,
  type SearchProperty,
} from './condition/search-condition.js';
export { listingPropertiesOf, searchPropertiesOf, type SearchedModel } from './condition/search-properties.js';
export type {
  ClausesQuery,
  MatchQuery,
  Operand,
  RangeBound,
  SearchQuery,
  ValueTest,
  WildcardPart,
} from './expression/search-query.js';
export { readInstant } from './values/read-instant.js';
