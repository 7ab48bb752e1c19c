import { comparisonOf, type SearchProperty } from '../condition/search-condition.js';
import type { DatabaseFeatures } from './database-features.js';
import { writeBeyondIndexed, writeIndexed } from './key-expressions.js';

/** One term of `sort`. */
export interface SortTerm {
  readonly property: SearchProperty;
  readonly descending: boolean;
}

const orderBy = (
  terms: readonly SortTerm[],
  identity: readonly string[],
  write: (property: SearchProperty, index: number) => readonly string[],
): string[] => {
  // the identity has the direction of the last term, so that an index can be read either way
  const direction = terms.at(-1)?.descending === true ? 'DESC' : 'ASC';
  const sorted = terms.flatMap(({ property, descending }, index) =>
    write(property, index).map((expression) => `${expression} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`),
  );
  return [...sorted, ...identity.map((column) => `${column} ${direction}`)];
};

/**
 * Terms of ORDER BY for a listing that is read in order: by the properties, records without a value first, then by the
 * columns that tell rows apart. An index of the first property can serve it.
 */
export const writeOrder = (
  terms: readonly SortTerm[],
  columns: { readonly key: string; readonly identity: readonly string[] },
  features: DatabaseFeatures,
): string[] =>
  orderBy(terms, columns.identity, (property) => {
    const indexed = writeIndexed(columns.key, property, features);
    return comparisonOf(property) === 'text'
      ? [indexed, writeBeyondIndexed(columns.key, property, features)]
      : [indexed];
  });

/** The same order of rows that were found before, with the comparable value of each term in a separate column. */
export const writeOrderOfFound = (
  terms: readonly SortTerm[],
  columns: { readonly values: readonly string[]; readonly identity: readonly string[] },
): string[] => orderBy(terms, columns.identity, (_property, index) => columns.values.slice(index, index + 1));
