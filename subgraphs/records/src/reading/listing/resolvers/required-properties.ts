import { conditionProperties, type SearchCondition, type SearchProperty, type SortTerm } from '@fds/search';

/** Keys that select or order the rows of a listing. */
interface ListingKeys {
  readonly condition?: SearchCondition | undefined;
  readonly drKey?: { readonly property: SearchProperty };
  readonly order: readonly Pick<SortTerm, 'property'>[];
}

/**
 * Top-level properties that a row must show, since it is searched or sorted by them: its position would reveal their
 * values.
 */
export const requiredProperties = ({ condition, drKey, order }: ListingKeys): readonly string[] => [
  ...new Set([
    ...(condition === undefined ? [] : conditionProperties(condition)),
    ...(drKey === undefined ? [] : [drKey.property.name]),
    ...order.map(({ property }) => property.dataPath?.[0] ?? property.name),
  ]),
];
