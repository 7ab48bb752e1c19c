export { loadDatabaseFeatures, type DatabaseFeatures } from './database-features.js';
export { indexNeedsOf, writeIndex, writeIndexedExpression, type IndexNeed } from './index-definitions.js';
export { comparePlaces } from './compare-places.js';
export { comparedTypes, writeComparable, writeIndexed } from './key-expressions.js';
export { createSqlParameters, type SqlParameters } from './sql-parameters.js';
export { writeCondition, type ConditionTarget } from './write-condition.js';
export { writeOrder, writeOrderOfFound, type SortTerm } from './write-order.js';
export { isIndexedPlace, writePlaceValues, writeStart, type PlaceTarget, type SortedPlace } from './write-start.js';
