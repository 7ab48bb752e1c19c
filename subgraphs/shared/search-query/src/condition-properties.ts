import type { SearchCondition } from './search-condition.js';

const collect = (condition: SearchCondition): readonly string[] => {
  switch (condition.kind) {
    case 'all':
    case 'record':
      return [];
    case 'and':
    case 'or':
      return condition.of.flatMap(collect);
    case 'not':
      return collect(condition.of);
    case 'test':
      return [condition.property.name];
  }
};

/** Names of the properties that a condition looks at, each once. */
export const conditionProperties = (condition: SearchCondition): readonly string[] => [...new Set(collect(condition))];
