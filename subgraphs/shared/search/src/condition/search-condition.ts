import type { PatternNode } from '../pattern/pattern-node.js';

/** A property that may be searched by, as its model describes it. */
export interface SearchProperty {
  /** The dotted path, for a property in the data. */
  readonly name: string;
  /** Where the value is in the data of the record. Undefined: it is of the DR Key. */
  readonly dataPath?: readonly string[];
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
}

/** How values of a property compare: text ignoring case by code point, numbers exactly, date-times as instants. */
export type Comparison = 'text' | 'number' | 'boolean' | 'instant';

/** How values of the property compare. Dates in their one written form compare as text. */
export const comparisonOf = ({ type, format }: SearchProperty): Comparison => {
  if (type === 'boolean') return 'boolean';
  if (type !== 'string' || format === 'decimal') return 'number';
  return format === 'date-time' ? 'instant' : 'text';
};

/**
 * A value of a condition in the form that its comparison needs: folded text, decimal digits, `true` or `false`, decimal
 * seconds since 1970. A placeholder stands for a value that is known when the condition is evaluated.
 */
export type ConditionValue =
  { readonly kind: 'literal'; readonly value: string } | { readonly kind: 'placeholder'; readonly name: string };

export interface ConditionBound {
  readonly value: ConditionValue;
  readonly inclusive: boolean;
}

/** A test of a property's value; text is folded. A property without a value meets no test. */
export type ConditionTest =
  | { readonly kind: 'equals'; readonly value: ConditionValue }
  | { readonly kind: 'present' }
  | { readonly kind: 'wildcard'; readonly parts: readonly ({ readonly text: string } | { readonly wild: '*' | '?' })[] }
  | { readonly kind: 'fuzzy'; readonly value: string; readonly maxEdits: number }
  | { readonly kind: 'range'; readonly from: ConditionBound | null; readonly to: ConditionBound | null }
  | { readonly kind: 'pattern'; readonly pattern: PatternNode };

/** A search expression with its properties and types resolved. Input of every evaluator. */
export type SearchCondition =
  | { readonly kind: 'all' }
  /** `and` of nothing holds, `or` of nothing does not. */
  | { readonly kind: 'and' | 'or'; readonly of: readonly SearchCondition[] }
  /** The complement. */
  | { readonly kind: 'not'; readonly of: SearchCondition }
  /** The record with this DR UUID, in lower case. */
  | { readonly kind: 'record'; readonly uuid: string }
  | { readonly kind: 'test'; readonly property: SearchProperty; readonly test: ConditionTest };
