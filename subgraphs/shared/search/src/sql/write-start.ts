import { comparisonOf } from '../condition/search-condition.js';
import type { DatabaseFeatures } from './database-features.js';
import { comparedTypes, indexedCharacters, writeComparable, writeIndexed } from './key-expressions.js';
import type { SqlParameters } from './sql-parameters.js';
import type { SortTerm } from './write-order.js';

/** A row of a sorted listing by what it is sorted by. */
export interface SortedPlace {
  /** Values of the terms as text (see `writePlaceValues`); null: the row has none. */
  readonly values: readonly (string | null)[];
  readonly uuid: string;
}

/** How rows are compared with a place. */
export interface PlaceTarget {
  readonly key: string;
  readonly uuid: string;
  readonly parameters: SqlParameters;
  readonly features: DatabaseFeatures;
}

/** The values of a place as columns of a statement. */
export const writePlaceValues = (order: readonly SortTerm[], key: string, features: DatabaseFeatures): string[] =>
  order.map(({ property }) => `${writeComparable(key, property, features)}::text`);

/** Can an index find the place? It has a first value, and the index holds the whole of it. */
export const isIndexedPlace = ({ values: [first] }: SortedPlace): boolean =>
  first !== null && first !== undefined && first.length < indexedCharacters;

const parameterOf = ({ property }: SortTerm, value: string, { parameters }: PlaceTarget): string =>
  `${parameters.add(value)}::text::${comparedTypes[comparisonOf(property)]}`;

/** Rows at or after the place by the terms from `index` on, then by uuid. */
const writeRest = (order: readonly SortTerm[], index: number, place: SortedPlace, target: PlaceTarget): string => {
  const term = order[index];
  if (term === undefined) {
    const sign = order.at(-1)?.descending === true ? '<=' : '>=';
    return `${target.uuid} ${sign} ${target.parameters.add(place.uuid)}::uuid`;
  }
  const column = writeComparable(target.key, term.property, target.features);
  const value = place.values[index] ?? null;
  const rest = writeRest(order, index + 1, place, target);
  if (value === null) return `((${column} IS NULL AND ${rest})${term.descending ? '' : ` OR ${column} IS NOT NULL`})`;
  const parameter = parameterOf(term, value, target);
  const beyond = term.descending ? `${column} < ${parameter} OR ${column} IS NULL` : `${column} > ${parameter}`;
  return `(${beyond} OR (${column} = ${parameter} AND ${rest}))`;
};

/**
 * Holds for the rows at or after the place in the order that have a value of the first term: rows without one come before
 * the place, or at the end where the first term is descending. An index of the first term finds the place.
 */
export const writeStart = (order: readonly SortTerm[], place: SortedPlace, target: PlaceTarget): string => {
  const [first] = order;
  if (first === undefined || !isIndexedPlace(place)) throw new TypeError('an index cannot find the place');
  const indexed = writeIndexed(target.key, first.property, target.features);
  const parameter = parameterOf(first, place.values[0] ?? '', target);
  const sign = first.descending ? '<' : '>';
  if (order.length === 1) {
    return `(${indexed}, ${target.uuid}) ${sign}= (${parameter}, ${target.parameters.add(place.uuid)}::uuid)`;
  }
  const rest = writeRest(order, 1, place, target);
  return `(${indexed} ${sign}= ${parameter} AND (${indexed} ${sign} ${parameter} OR ${rest}))`;
};
