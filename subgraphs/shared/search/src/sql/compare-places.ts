import { compareDecimals } from '../values/compare-decimals.js';
import { comparisonOf } from '../condition/search-condition.js';
import { compareText } from '../values/compare-text.js';
import type { SortTerm } from './write-order.js';
import type { SortedPlace } from './write-start.js';

const compareValues = ({ property, descending }: SortTerm, one: string | null, other: string | null): number => {
  if (one === null || other === null) {
    if (one === other) return 0;
    // rows without a value come first, or last where the term is descending
    return (one === null) === descending ? 1 : -1;
  }
  const comparison = comparisonOf(property);
  const difference =
    comparison === 'number' || comparison === 'instant' ? compareDecimals(one, other) : compareText(one, other);
  return descending ? -difference : difference;
};

/** Compares places as `writeOrder` sorts rows: below 0 where the first one comes before the second one, 0 for the same place. */
export const comparePlaces = (order: readonly SortTerm[], one: SortedPlace, other: SortedPlace): number => {
  for (const [index, term] of order.entries()) {
    const difference = compareValues(term, one.values[index] ?? null, other.values[index] ?? null);
    if (difference !== 0) return difference;
  }
  const difference = compareText(one.uuid, other.uuid);
  return order.at(-1)?.descending === true ? -difference : difference;
};
