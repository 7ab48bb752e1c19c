export { loadDatabaseFeatures, type DatabaseFeatures } from './database-features.js';
export { indexNeedsOf, writeIndex, type IndexNeed } from './index-definitions.js';
export { comparedTypes, writeComparable, writeIndexed } from './key-expressions.js';
export { createSqlParameters, type SqlParameters } from './sql-parameters.js';
export { writeCondition, type ConditionTarget } from './write-condition.js';
export { writeOrder, type SortTerm } from './write-order.js';
