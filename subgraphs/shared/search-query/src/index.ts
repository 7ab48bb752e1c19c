export { checkSearchQuery } from './check-search-query.js';
export { conditionPlaceholders, type ConditionPlaceholder } from './condition-placeholders.js';
export { conditionProperties } from './condition-properties.js';
export { readConditionValue } from './condition-value.js';
export { evaluateCondition, type PlaceholderValues, type SearchedRecord } from './evaluate/evaluate-condition.js';
export { foldText } from './fold-text.js';
export { parseSearchQuery, type ParseOptions } from './parse-search-query.js';
export type { CodePointRange, PatternNode } from './pattern/pattern-node.js';
export { printPattern, type PatternDialect } from './pattern/print-pattern.js';
export { placeholdersOf } from './placeholders-of.js';
export { printSearchQuery } from './print-search-query.js';
export { queryLimits } from './query-limits.js';
export {
  comparisonOf,
  type Comparison,
  type ConditionBound,
  type ConditionTest,
  type ConditionValue,
  type SearchCondition,
  type SearchProperty,
} from './search-condition.js';
export { searchPropertiesOf, type SearchedModel } from './search-properties.js';
export type {
  ClausesQuery,
  MatchQuery,
  Operand,
  RangeBound,
  SearchQuery,
  ValueTest,
  WildcardPart,
} from './search-query.js';
