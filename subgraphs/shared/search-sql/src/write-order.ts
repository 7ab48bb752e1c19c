import { comparisonOf, type SearchProperty } from '@fds/search-query';
import type { DatabaseFeatures } from './database-features.js';
import { writeComparable, writeIndexed } from './key-expressions.js';

/** One term of `sort`. */
export interface SortTerm {
  readonly property: SearchProperty;
  readonly descending: boolean;
}

/** Terms of ORDER BY for a listing: by the properties, records without a value first, then by the columns that tell rows apart. */
export const writeOrder = (
  terms: readonly SortTerm[],
  columns: { readonly key: string; readonly identity: readonly string[] },
  features: DatabaseFeatures,
): string[] => {
  // the identity goes along with the last term, so that an index can be read either way
  const direction = terms.at(-1)?.descending === true ? 'DESC' : 'ASC';
  const sorted = terms.flatMap(({ property, descending }) => {
    const order = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
    const indexed = `${writeIndexed(columns.key, property, features)} ${order}`;
    if (comparisonOf(property) !== 'text') return [indexed];
    return [indexed, `${writeComparable(columns.key, property, features)} ${order}`];
  });
  return [...sorted, ...columns.identity.map((column) => `${column} ${direction}`)];
};
