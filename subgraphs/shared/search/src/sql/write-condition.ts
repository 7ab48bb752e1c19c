import {
  comparisonOf,
  type ConditionTest,
  type ConditionValue,
  type SearchCondition,
  type SearchProperty,
} from '../condition/search-condition.js';
import { printPattern, type PatternDialect } from '../pattern/print-pattern.js';
import type { DatabaseFeatures } from './database-features.js';
import { comparedTypes, indexedCharacters, writeComparable, writeIndexed, writeText } from './key-expressions.js';
import type { SqlParameters } from './sql-parameters.js';
import { textAfter } from './text-after.js';

/** Where and how a condition is written. */
export interface ConditionTarget {
  /** SQL of the jsonb object with the DR Key, and of the record's uuid. */
  readonly key: string;
  readonly uuid: string;
  readonly parameters: SqlParameters;
  readonly features: DatabaseFeatures;
  /**
   * SQL of a parent's value in the form in which values of the property compare (text folded, numeric, boolean, numeric
   * seconds), null where the parent has none. Needed where the expression may hold placeholders.
   */
  readonly placeholder?: (name: string, property: SearchProperty) => string;
  /**
   * The planner does not see the values, so that it has one plan for all of them. TOGETHER: it takes the two ends of a range
   * for one test, and expects one row in 200. APART: it takes them for two tests, and expects one row in 9. It then reads
   * an index in order if a few rows are enough, rather than all rows of the range.
   */
  readonly unseen?: 'TOGETHER' | 'APART';
}

const dialect: PatternDialect = {
  any: '.',
  character: (point) =>
    point <= 0xffff ? `\\u${point.toString(16).padStart(4, '0')}` : `\\U${point.toString(16).padStart(8, '0')}`,
};

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`);

const writeParameter = ({ parameters, unseen }: ConditionTarget, value: string, type = 'text'): string => {
  const parameter = `${parameters.add(value)}::${type}`;
  return unseen === undefined ? parameter : `(SELECT ${parameter})`;
};

const writeValue = (target: ConditionTarget, property: SearchProperty, value: ConditionValue): string => {
  const type = comparedTypes[comparisonOf(property)];
  if (value.kind === 'literal') return writeParameter(target, value.value, type);
  if (target.placeholder === undefined) throw new TypeError(`no values for the placeholder ${value.name}`);
  return `(${target.placeholder(value.name, property)})::${type}`;
};

/** A text that is shorter than the indexed beginning compares with the indexed beginning as with the whole. */
const isShort = (value: ConditionValue): boolean =>
  value.kind === 'literal' && Array.from(value.value).length < indexedCharacters;

type Operator = '=' | '<' | '<=' | '>' | '>=';

const leastUuid = '00000000-0000-0000-0000-000000000000';
const greatestUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A comparison of an indexed expression. APART: a row of values is compared, which means the same. The planner does not take
 * it for the end of a range. The uuid is the second column of the index.
 */
const writeIndexTest = (
  { unseen, uuid }: ConditionTarget,
  indexed: string,
  operator: Operator,
  value: string,
): string => {
  if (unseen !== 'APART' || (operator !== '<' && operator !== '<=')) return `${indexed} ${operator} ${value}`;
  return `(${indexed}, ${uuid}) ${operator} (${value}, '${operator === '<' ? leastUuid : greatestUuid}'::uuid)`;
};

/** A comparison that an index can serve: texts are compared by their indexed beginnings, long ones as a whole as well. */
const writeComparison = (
  target: ConditionTarget,
  property: SearchProperty,
  operator: Operator,
  operand: ConditionValue,
): string => {
  const { key, features } = target;
  const value = writeValue(target, property, operand);
  const indexed = writeIndexed(key, property, features);
  if (comparisonOf(property) !== 'text' || isShort(operand)) return writeIndexTest(target, indexed, operator, value);
  const wide = operator === '=' ? '=' : operator[0] === '<' ? '<=' : '>=';
  const beginning = writeIndexTest(target, indexed, wide, `"left"(${value}, ${indexedCharacters})`);
  return `(${beginning} AND ${writeComparable(key, property, features)} ${operator} ${value})`;
};

/** The text that a wildcard term begins with. */
const prefixOf = (parts: readonly ({ readonly text: string } | { readonly wild: '*' | '?' })[]): string => {
  const [first] = parts;
  return first !== undefined && 'text' in first ? Array.from(first.text).slice(0, indexedCharacters).join('') : '';
};

const writeWildcard = (
  target: ConditionTarget,
  property: SearchProperty,
  parts: readonly ({ readonly text: string } | { readonly wild: '*' | '?' })[],
): string => {
  const { key, features } = target;
  const prefix = prefixOf(parts);
  // rather than LIKE: an index answers it alone, also in a plan that is made before the beginning is known
  const begins = (): string => {
    const indexed = writeIndexed(key, property, features);
    const after = textAfter(prefix);
    const tests = [`${indexed} >= ${writeParameter(target, prefix)}`];
    if (after !== undefined) tests.push(writeIndexTest(target, indexed, '<', writeParameter(target, after)));
    return `(${tests.join(' AND ')})`;
  };
  const [first, second, ...others] = parts;
  const isBeginning = first !== undefined && 'text' in first && first.text === prefix && others.length === 0;
  // a beginning and nothing else
  if (isBeginning && second !== undefined && 'wild' in second && second.wild === '*') return begins();
  const pattern = parts
    .map((part) => ('text' in part ? escapeLike(part.text) : part.wild === '*' ? '%' : '_'))
    .join('');
  const whole = `${writeComparable(key, property, features)} LIKE ${writeParameter(target, pattern)}`;
  return prefix === '' ? whole : `(${begins()} AND ${whole})`;
};

/** Shortest piece that a trigram index can look up. */
const minPiece = 3;

/**
 * A value within n edits of a term holds one of n + 1 pieces of the term unchanged. This lets an index find candidates;
 * a term that is too short for it gets no such test.
 */
const writePieces = ({ parameters }: ConditionTarget, value: string, term: string, maxEdits: number): string[] => {
  const characters = Array.from(term);
  const count = maxEdits + 1;
  const size = Math.floor(characters.length / count);
  if (size < minPiece) return [];
  const pieces = Array.from({ length: count }, (_, index) =>
    characters.slice(index * size, index === maxEdits ? undefined : (index + 1) * size).join(''),
  );
  const tests = pieces.map((piece) => `${value} LIKE ${parameters.add(`%${escapeLike(piece)}%`)}::text`);
  return [`(${tests.join(' OR ')})`];
};

const writeFuzzy = (
  target: ConditionTarget,
  property: SearchProperty,
  { value: term, maxEdits }: Extract<ConditionTest, { kind: 'fuzzy' }>,
): string => {
  const { key, parameters, features } = target;
  const value = writeComparable(key, property, features);
  const sought = `${parameters.add(term)}::text`;
  const length = Array.from(term).length;
  const within = features.levenshtein
    ? `levenshtein_less_equal(${value}, ${sought}, ${maxEdits}) <= ${maxEdits}`
    : `search_within_edits(${value}, ${sought}, ${maxEdits})`;
  // both functions count only texts of limited length, so length goes first
  const exact = `CASE WHEN length(${value}) BETWEEN ${length - maxEdits} AND ${length + maxEdits} THEN ${within} ELSE false END`;
  return `(${[...writePieces(target, value, term, maxEdits), exact].join(' AND ')})`;
};

const writeTest = (target: ConditionTarget, property: SearchProperty, test: ConditionTest): string => {
  const { key, parameters, features } = target;
  switch (test.kind) {
    case 'present':
      return `${writeText(key, property)} IS NOT NULL`;
    case 'equals':
      return writeComparison(target, property, '=', test.value);
    case 'range': {
      const { from, to } = test;
      const bounds = [
        ...(from === null ? [] : [writeComparison(target, property, from.inclusive ? '>=' : '>', from.value)]),
        ...(to === null ? [] : [writeComparison(target, property, to.inclusive ? '<=' : '<', to.value)]),
      ];
      return bounds.length === 0 ? `${writeText(key, property)} IS NOT NULL` : `(${bounds.join(' AND ')})`;
    }
    case 'wildcard':
      return writeWildcard(target, property, test.parts);
    case 'fuzzy':
      return writeFuzzy(target, property, test);
    case 'pattern':
      return `${writeComparable(key, property, features)} ~ ${parameters.add(printPattern(test.pattern, dialect))}::text`;
  }
};

/** The condition as a SQL expression. Users' values are parameters; names of properties are those of the model. */
export const writeCondition = (target: ConditionTarget, condition: SearchCondition): string => {
  switch (condition.kind) {
    case 'all':
      return 'TRUE';
    case 'and':
    case 'or': {
      if (condition.of.length === 0) return condition.kind === 'and' ? 'TRUE' : 'FALSE';
      return `(${condition.of.map((each) => writeCondition(target, each)).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return `(${writeCondition(target, condition.of)}) IS NOT TRUE`;
    case 'record':
      return `${target.uuid} = ${target.parameters.add(condition.uuid)}::uuid`;
    case 'test':
      return writeTest(target, condition.property, condition.test);
  }
};
