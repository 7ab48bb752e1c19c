import { type ListingFilter, comparisonOf, type SearchCondition, type SearchProperty } from '@fds/search';

/** A search whose rows are one range of an index in order of a property. */
export interface RangeSearch {
  readonly property: SearchProperty;
  /** Its rows have one value. */
  readonly isPoint: boolean;
  /** The same search, with a range in the place of an equality: the planner estimates every range alike. */
  readonly filter: ListingFilter & { readonly version: NonNullable<ListingFilter['version']> };
}

/**
 * Is there one plan that is right for all values of the search? With a single test on a value, or a beginning of it, an
 * index finds the rows whatever the value is. With several tests, the values determine which one finds few rows.
 */
export const hasOnePlan = (condition: SearchCondition | undefined): boolean => {
  if (condition?.kind !== 'test') return false;
  const { test } = condition;
  if (test.kind === 'equals' || test.kind === 'range') return true;
  if (test.kind !== 'wildcard') return false;
  const [first, second, third] = test.parts;
  const begins = first !== undefined && 'text' in first && second !== undefined && 'wild' in second;
  return begins && second.wild === '*' && third === undefined;
};

/** @returns undefined where an index does not find the rows, or where all of them are found */
const toRange = (condition: SearchCondition | undefined): Extract<SearchCondition, { kind: 'test' }> | undefined => {
  if (condition?.kind !== 'test' || !hasOnePlan(condition)) return undefined;
  const { property, test } = condition;
  // booleans have no index
  if (comparisonOf(property) === 'boolean') return undefined;
  if (test.kind === 'range' && test.from === null && test.to === null) return undefined;
  if (test.kind !== 'equals') return condition;
  const bound = { value: test.value, inclusive: true };
  return { ...condition, test: { kind: 'range', from: bound, to: bound } };
};

/** Reads a search of all records of a data-store version by one test; undefined for any other listing. */
export const rangeSearchOf = (filter: ListingFilter): RangeSearch | undefined => {
  const { version, drUuids, drKey, adaptorUuid, visibility } = filter;
  const isPart = drUuids !== undefined || drKey !== undefined || adaptorUuid !== undefined || visibility !== undefined;
  if (version?.domainType !== 'SERVICE_DATA_STORE' || isPart) return undefined;
  const condition = toRange(filter.condition);
  const isPoint = filter.condition !== condition;
  return condition && { property: condition.property, isPoint, filter: { ...filter, version, condition } };
};
