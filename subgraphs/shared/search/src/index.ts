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
export { loadDatabaseFeatures, type DatabaseFeatures } from './sql/database-features.js';
export { indexNeedsOf, writeIndex, writeIndexedExpression, type IndexNeed } from './sql/index-definitions.js';
export { comparePlaces } from './sql/compare-places.js';
export { comparedTypes, writeComparable, writeIndexed } from './sql/key-expressions.js';
export { createSqlParameters, type SqlParameters } from './sql/sql-parameters.js';
export { writeCondition, type ConditionTarget } from './sql/write-condition.js';
export { writeOrder, writeOrderOfFound, type SortTerm } from './sql/write-order.js';
export { isIndexedPlace, writePlaceValues, writeStart, type PlaceTarget, type SortedPlace } from './sql/write-start.js';
export { takesEveryKey, versionOfAllRecords, type ListingFilter } from './rows/listing-filter.js';
export { readVisibility } from './rows/read-visibility.js';
export { noAdaptor, orderedSourcesOf, rowSourcesOf, type RowSource, type Writing } from './rows/row-source.js';
export { writePerVersion, writeVisible, type RestrictedVersion, type Visibility } from './rows/visibility.js';
