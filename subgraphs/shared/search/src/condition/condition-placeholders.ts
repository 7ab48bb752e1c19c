import { conditionTests } from './condition-tests.js';
import type { ConditionTest, SearchCondition, SearchProperty } from './search-condition.js';

/** A value of the parent record that a condition needs, and the property that it is compared with. */
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

/** The values of the parent record that a condition needs, each pair of value and property once. */
export const conditionPlaceholders = (condition: SearchCondition): readonly ConditionPlaceholder[] => {
  const needed = conditionTests(condition).flatMap(({ property, test }) =>
    namesIn(test).map((name) => ({ name, property })),
  );
  return [...new Map(needed.map((each) => [`${each.name} ${each.property.name}`, each])).values()];
};
