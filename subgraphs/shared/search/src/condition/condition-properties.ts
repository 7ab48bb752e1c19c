import { conditionTests } from './condition-tests.js';
import type { SearchCondition } from './search-condition.js';

/** Names of the top-level properties that a condition looks at, each once. */
export const conditionProperties = (condition: SearchCondition): readonly string[] => [
  ...new Set(conditionTests(condition).map(({ property }) => property.dataPath?.[0] ?? property.name)),
];
