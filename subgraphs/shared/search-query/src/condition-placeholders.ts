import type { ConditionTest, SearchCondition, SearchProperty } from './search-condition.js';

/** A value of the parent record that a condition needs, and the property that it is held against. */
export interface ConditionPlaceholder {
  readonly name: string;
  readonly property: SearchProperty;
}

const namesIn = (test: ConditionTest): string[] => {
  const values =
    test.kind === 'equals'
      ? [test.value]
      : test.kind === 'range'
        ? [test.from, test.to].flatMap((bound) => bound?.value ?? [])
        : [];
  return values.flatMap((value) => (value.kind === 'placeholder' ? [value.name] : []));
};

const collect = (condition: SearchCondition): ConditionPlaceholder[] => {
  switch (condition.kind) {
    case 'all':
    case 'record':
      return [];
    case 'and':
    case 'or':
      return condition.of.flatMap(collect);
    case 'not':
      return collect(condition.of);
    case 'test': {
      const { property, test } = condition;
      return namesIn(test).map((name) => ({ name, property }));
    }
  }
};

/** What a condition needs of the parent record, each pair of value and property once. */
export const conditionPlaceholders = (condition: SearchCondition): readonly ConditionPlaceholder[] => [
  ...new Map(collect(condition).map((each) => [`${each.name} ${each.property.name}`, each])).values(),
];
