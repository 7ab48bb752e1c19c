import { conditionProperties, type SearchCondition, type SearchProperty } from '@fds/search-query';
import type { SortTerm } from '@fds/search-sql';

/** What rows of a listing are told apart by. */
interface ListingKeys {
  readonly condition?: SearchCondition | undefined;
  readonly drKey?: { readonly property: SearchProperty };
  readonly order: readonly Pick<SortTerm, 'property'>[];
}

/** Top-level properties that a row must show, since it is searched or sorted by them: where it stands would tell their values. */
export const requiredProperties = ({ condition, drKey, order }: ListingKeys): readonly string[] => [
  ...new Set([
    ...(condition === undefined ? [] : conditionProperties(condition)),
    ...(drKey === undefined ? [] : [drKey.property.name]),
    ...order.map(({ property }) => property.dataPath?.[0] ?? property.name),
  ]),
];
