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
import { matchesWildcard } from './matches-wildcard.js';
import { withinEdits } from './within-edits.js';

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
