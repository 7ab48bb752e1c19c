import { isUuid } from '@fds/json';
import { readConditionValue } from './condition-value.js';
import { foldText } from '../values/fold-text.js';
import { foldPattern } from '../pattern/fold-pattern.js';
import { parsePattern } from '../pattern/parse-pattern.js';
import { toQueryError, type QueryFault } from '../faults/query-fault.js';
import { queryLimits } from '../faults/query-limits.js';
import {
  comparisonOf,
  type ConditionBound,
  type ConditionTest,
  type ConditionValue,
  type SearchCondition,
  type SearchProperty,
} from './search-condition.js';
import type { MatchQuery, Operand, RangeBound, SearchQuery, ValueTest } from '../expression/search-query.js';

/** State shared while one expression is checked. */
interface Checking {
  readonly properties: readonly SearchProperty[];
  /** Properties of the parent record; undefined: its placeholders are not checked. */
  readonly parents: readonly SearchProperty[] | undefined;
  readonly faults: QueryFault[];
  /** Terms met so far, of the kinds that have a limit. */
  readonly met: Record<LimitedKind, number>;
}

type LimitedKind = 'records' | 'wildcards' | 'leadingWildcards' | 'fuzzy' | 'patterns';

/** Limits of expensive terms in one expression, and how a refusal calls them. */
const termLimits = {
  wildcards: { max: queryLimits.maxWildcardTerms, of: 'terms with a wildcard' },
  leadingWildcards: { max: queryLimits.maxLeadingWildcards, of: 'terms that begin with a wildcard' },
  fuzzy: { max: queryLimits.maxFuzzyTerms, of: 'fuzzy terms' },
  patterns: { max: queryLimits.maxPatterns, of: 'regular expressions' },
} as const;

const fault = (checking: Checking, code: string, detail: string, position: number): undefined => {
  checking.faults.push({ code, detail, position });
  return undefined;
};

/** Counts an expensive term. @returns whether the expression may have it */
const mayHaveOneMore = (checking: Checking, kind: keyof typeof termLimits, at: number): boolean => {
  const { max, of } = termLimits[kind];
  checking.met[kind] += 1;
  if (checking.met[kind] <= max) return true;
  fault(checking, 'TOO_COMPLEX', `a search expression has at most ${max} ${of}`, at);
  return false;
};

const namesOf = (properties: readonly SearchProperty[]): string => properties.map(({ name }) => name).join(', ');

const findProperty = (checking: Checking, { field, at }: MatchQuery): SearchProperty | undefined => {
  const { properties } = checking;
  if (field === null) {
    const [only, another] = properties.filter(({ dataPath }) => dataPath === undefined);
    if (only !== undefined && another === undefined) return only;
    return fault(checking, 'PROPERTY_REQUIRED', `name the property: one of ${namesOf(properties)}`, at);
  }
  return (
    properties.find(({ name }) => name.toLowerCase() === field.toLowerCase()) ??
    fault(
      checking,
      'UNKNOWN_PROPERTY',
      `${field} is not a ${properties.some(({ dataPath }) => dataPath !== undefined) ? 'search' : 'DR Key'} property: one of ${namesOf(properties)}`,
      at,
    )
  );
};

/** A placeholder in the spelling of the parent's property. */
const checkPlaceholder = ({ name }: { readonly name: string }, checking: Checking, at: number) => {
  const { parents } = checking;
  if (parents === undefined) return { kind: 'placeholder', name } as const;
  const parent = parents.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (parent !== undefined) return { kind: 'placeholder', name: parent.name } as const;
  const detail = `${name} is not a DR Key property of the record that refers: one of ${namesOf(parents)}`;
  return fault(checking, 'UNKNOWN_PROPERTY', detail, at);
};

const checkOperand = (
  checking: Checking,
  property: SearchProperty,
  operand: Operand,
  at: number,
): ConditionValue | undefined => {
  if (operand.kind === 'placeholder') return checkPlaceholder(operand, checking, at);
  const read = readConditionValue(property, operand.value);
  if ('value' in read) return { kind: 'literal', value: read.value };
  return fault(checking, 'INVALID_VALUE', `a value of ${property.name} is ${read.expected}`, at);
};

const checkBound = (
  checking: Checking,
  property: SearchProperty,
  bound: RangeBound | null,
  at: number,
): ConditionBound | null | undefined => {
  if (bound === null) return null;
  const value = checkOperand(checking, property, bound.operand, at);
  return value === undefined ? undefined : { value, inclusive: bound.inclusive };
};

/** Wildcards, fuzzy terms and regular expressions look at the characters of a text. */
const holdsText = (checking: Checking, property: SearchProperty, at: number): boolean => {
  const { name, type, format } = property;
  if (type === 'string' && comparisonOf(property) !== 'number') return true;
  const detail = `${name} is of ${type === 'string' ? `format ${format}` : `type ${type}`}: only texts have wildcards, fuzzy terms and regular expressions`;
  fault(checking, 'NOT_A_TEXT', detail, at);
  return false;
};

const checkTextTest = (
  checking: Checking,
  test: Extract<ValueTest, { kind: 'wildcard' | 'fuzzy' | 'pattern' }>,
  at: number,
): ConditionTest | undefined => {
  const { maxWildcards, maxFuzzyLength } = queryLimits;
  if (test.kind === 'wildcard') {
    const [first] = test.parts;
    if (!mayHaveOneMore(checking, 'wildcards', at)) return undefined;
    if (first !== undefined && 'wild' in first && !mayHaveOneMore(checking, 'leadingWildcards', at)) return undefined;
    if (test.parts.filter((part) => 'wild' in part).length > maxWildcards) {
      return fault(checking, 'TOO_COMPLEX', `a term has at most ${maxWildcards} wildcards`, at);
    }
    return {
      kind: 'wildcard',
      parts: test.parts.map((part) => ('text' in part ? { text: foldText(part.text) } : part)),
    };
  }
  if (test.kind === 'fuzzy') {
    if (!mayHaveOneMore(checking, 'fuzzy', at)) return undefined;
    if (test.value.length > maxFuzzyLength) {
      return fault(checking, 'TOO_COMPLEX', `a fuzzy term has at most ${maxFuzzyLength} characters`, at);
    }
    return { kind: 'fuzzy', value: foldText(test.value), maxEdits: test.maxEdits };
  }
  if (!mayHaveOneMore(checking, 'patterns', at)) return undefined;
  const pattern = parsePattern(test.source);
  if ('fault' in pattern) return fault(checking, 'INVALID_PATTERN', pattern.fault, at);
  return { kind: 'pattern', pattern: foldPattern(pattern) };
};

const checkTest = (
  checking: Checking,
  property: SearchProperty,
  { test, at }: MatchQuery,
): ConditionTest | undefined => {
  switch (test.kind) {
    case 'present':
      return test;
    case 'equals': {
      const value = checkOperand(checking, property, test.operand, at);
      return value === undefined ? undefined : { kind: 'equals', value };
    }
    case 'range': {
      if (comparisonOf(property) === 'boolean') {
        return fault(checking, 'INVALID_VALUE', `${property.name} is true or false and has no ranges`, at);
      }
      const from = checkBound(checking, property, test.from, at);
      const to = checkBound(checking, property, test.to, at);
      return from === undefined || to === undefined ? undefined : { kind: 'range', from, to };
    }
    case 'wildcard':
    case 'fuzzy':
    case 'pattern':
      return holdsText(checking, property, at) ? checkTextTest(checking, test, at) : undefined;
  }
};

/** The DR UUID that a test without a property names. */
const recordOf = ({ field, test }: MatchQuery): string | undefined => {
  if (field !== null || test.kind !== 'equals' || test.operand.kind !== 'literal') return undefined;
  return isUuid(test.operand.value) ? test.operand.value.toLowerCase() : undefined;
};

const nothing: SearchCondition = { kind: 'or', of: [] };

const checkMatch = (checking: Checking, query: MatchQuery): SearchCondition => {
  const uuid = recordOf(query);
  if (uuid !== undefined) {
    checking.met.records += 1;
    if (checking.met.records > 1) {
      fault(checking, 'TOO_MANY_RECORDS', 'only one DR UUID is allowed: list several in dr-uuids', query.at);
    }
    return { kind: 'record', uuid };
  }
  if (query.field === null && query.test.kind === 'present') return { kind: 'all' };
  const property = findProperty(checking, query);
  const test = property === undefined ? undefined : checkTest(checking, property, query);
  return property === undefined || test === undefined ? nothing : { kind: 'test', property, test };
};

const check = (checking: Checking, query: SearchQuery): SearchCondition => {
  const each = (of: readonly SearchQuery[]): SearchCondition[] => of.map((one) => check(checking, one));
  switch (query.kind) {
    case 'all':
      return query;
    case 'match':
      return checkMatch(checking, query);
    case 'not':
      return { kind: 'not', of: check(checking, query.of) };
    case 'and':
    case 'or':
      return { kind: query.kind, of: each(query.of) };
    case 'clauses': {
      const required = each(query.required);
      const optional = each(query.optional);
      const excluded = each(query.excluded).map((of): SearchCondition => ({ kind: 'not', of }));
      // next to required terms, optional terms would only change the relevance, and search has no relevance
      const wanted: SearchCondition[] =
        required.length === 0 && optional.length > 0 ? [{ kind: 'or', of: optional }] : required;
      return { kind: 'and', of: [...wanted, ...excluded] };
    }
  }
};

/**
 * Resolves the properties and types of an expression.
 *
 * - Property names match ignoring case and must be among `properties`; with a single DR Key property its name may
 *   be left out.
 * - A bare UUID is a DR UUID; only one may be named.
 * - Values must be of the property's type.
 * - `${name}` is of `parents`, the DR Key properties of the record that refers, where they are given.
 *
 * @throws AppError INVALID_QUERY with every fault; codes: UNKNOWN_PROPERTY, PROPERTY_REQUIRED, INVALID_VALUE, NOT_A_TEXT,
 *   INVALID_PATTERN, TOO_COMPLEX, TOO_MANY_RECORDS
 */
export const checkSearchQuery = (
  query: SearchQuery,
  properties: readonly SearchProperty[],
  { parents }: { readonly parents?: readonly SearchProperty[] } = {},
): SearchCondition => {
  const met = { records: 0, wildcards: 0, leadingWildcards: 0, fuzzy: 0, patterns: 0 };
  const checking: Checking = { properties, parents, faults: [], met };
  const condition = check(checking, query);
  const [first, ...others] = checking.faults;
  if (first !== undefined) throw toQueryError([first, ...others]);
  return condition;
};
