import type { SearchCondition } from './search-condition.js';

/** The part of a condition that looks at one property. */
export type PropertyTest = Extract<SearchCondition, { readonly kind: 'test' }>;

/** The tests of properties in a condition, in the order written. */
export const conditionTests = (condition: SearchCondition): readonly PropertyTest[] => {
  switch (condition.kind) {
    case 'all':
    case 'record':
      return [];
    case 'and':
    case 'or':
      return condition.of.flatMap(conditionTests);
    case 'not':
      return conditionTests(condition.of);
    case 'test':
      return [condition];
  }
};
