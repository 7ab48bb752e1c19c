import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { RE2JS } from 're2js';
import { compareDecimals } from '../values/compare-decimals.js';
import { compareText } from '../values/compare-text.js';
import { readConditionValue } from '../condition/condition-value.js';
import { foldText } from '../values/fold-text.js';
import { printPattern, type PatternDialect } from '../pattern/print-pattern.js';
import {
  comparisonOf,
  type ConditionTest,
  type SearchCondition,
  type SearchProperty,
} from '../condition/search-condition.js';

/** Do at most so many insertions, deletions and replacements of a character make one text of the other? */
const withinEdits = (first: string, second: string, maxEdits: number): boolean => {
  const [a, b] = [Array.from(first), Array.from(second)];
  if (Math.abs(a.length - b.length) > maxEdits) return false;
  let before = b.map((_, index) => index);
  before.push(b.length);
  for (const [row, character] of a.entries()) {
    const next = [row + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (before[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (before[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = next;
  }
  return (before[b.length] ?? 0) <= maxEdits;
};

type Part = { readonly text: string } | { readonly wild: '*' | '?' };
type Want = { readonly literal: string } | { readonly wild: '*' | '?' };

/** Does the whole text fit the pieces? Goes back to the last `*` only, so time is at most length times pieces. */
const matchesWildcard = (text: string, parts: readonly Part[]): boolean => {
  const characters = Array.from(text);
  const wanted = parts.flatMap((part): Want[] =>
    'text' in part ? Array.from(part.text, (literal) => ({ literal })) : [part],
  );
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const want = wanted[next];
    if (want !== undefined && 'wild' in want && want.wild === '*') {
      star = next;
      resume = at;
      next += 1;
    } else if (want !== undefined && ('wild' in want || want.literal === characters[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      next = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return wanted.slice(next).every((want) => 'wild' in want && want.wild === '*');
};

/** A record that a condition is evaluated for. */
export interface SearchedRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
}

/** Values of placeholders as text; undefined for a parent without the value: then every test with it fails. */
export type PlaceholderValues = (name: string) => string | undefined;

const dialect: PatternDialect = { any: '(?s:.)', character: (point) => `\\x{${point.toString(16)}}` };

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson(value));

const holds = (
  property: SearchProperty,
  test: ConditionTest,
  value: JsonValue | undefined,
  placeholders: PlaceholderValues,
): boolean => {
  if (value === null || value === undefined) return false;
  const text = textOf(value);
  const read = readConditionValue(property, text);
  const compare = (operand: { kind: 'literal'; value: string } | { kind: 'placeholder'; name: string }) => {
    const given = operand.kind === 'literal' ? operand.value : placeholders(operand.name);
    if (given === undefined || !('value' in read)) return undefined;
    const other = operand.kind === 'literal' ? { value: given } : readConditionValue(property, given);
    if (!('value' in other)) return undefined;
    const comparison = comparisonOf(property);
    return comparison === 'number' || comparison === 'instant'
      ? compareDecimals(read.value, other.value)
      : compareText(read.value, other.value);
  };
  switch (test.kind) {
    case 'present':
      return true;
    case 'equals':
      return compare(test.value) === 0;
    case 'range': {
      const low = test.from === null ? 1 : compare(test.from.value);
      const high = test.to === null ? -1 : compare(test.to.value);
      if (low === undefined || high === undefined || !('value' in read)) return false;
      return (
        (low > 0 || (low === 0 && test.from?.inclusive === true)) &&
        (high < 0 || (high === 0 && test.to?.inclusive === true))
      );
    }
    case 'wildcard':
      return matchesWildcard(foldText(text), test.parts);
    case 'fuzzy':
      return withinEdits(foldText(text), test.value, test.maxEdits);
    case 'pattern':
      return RE2JS.compile(printPattern(test.pattern, dialect)).matches(foldText(text));
  }
};

/**
 * Holds a record against a condition in memory, one test after the other. It defines the meaning of a condition;
 * listings use the database, which must answer the same.
 */
export const evaluateCondition = (
  condition: SearchCondition,
  record: SearchedRecord,
  placeholders: PlaceholderValues = () => undefined,
): boolean => {
  switch (condition.kind) {
    case 'all':
      return true;
    case 'and':
      return condition.of.every((each) => evaluateCondition(each, record, placeholders));
    case 'or':
      return condition.of.some((each) => evaluateCondition(each, record, placeholders));
    case 'not':
      return !evaluateCondition(condition.of, record, placeholders);
    case 'record':
      return record.uuid === condition.uuid;
    case 'test': {
      const { property, test } = condition;
      const value = Object.hasOwn(record.drKey, property.name) ? record.drKey[property.name] : undefined;
      return holds(property, test, value, placeholders);
    }
  }
};
