/** A value that an expression names: as written, or taken from the parent record of a cross-reference. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: string }
  /** `${name}`: only where the caller of the parser allows it. */
  | { readonly kind: 'placeholder'; readonly name: string };

export interface RangeBound {
  readonly operand: Operand;
  readonly inclusive: boolean;
}

/** A piece of a wildcard term: text, or `*` (zero or more characters), or `?` (exactly one). */
export type WildcardPart = { readonly text: string } | { readonly wild: '*' | '?' };

/** A test of a value. Values stay text here: types are known to `checkSearchQuery`. */
export type ValueTest =
  | { readonly kind: 'equals'; readonly operand: Operand }
  /** `*`: there is a value. */
  | { readonly kind: 'present' }
  | { readonly kind: 'wildcard'; readonly parts: readonly WildcardPart[] }
  | { readonly kind: 'fuzzy'; readonly value: string; readonly maxEdits: number }
  /** Open at an end that has no bound. */
  | { readonly kind: 'range'; readonly from: RangeBound | null; readonly to: RangeBound | null }
  /** The text between the slashes. */
  | { readonly kind: 'pattern'; readonly source: string };

/** A test of one property. */
export interface MatchQuery {
  readonly kind: 'match';
  /** As written; null where none is named. */
  readonly field: string | null;
  readonly test: ValueTest;
  /** Offset in the expression, in UTF-16 units from 0. */
  readonly at: number;
}

/** Clauses side by side: `+required optional -excluded`. At least one optional must hold where nothing is required. */
export interface ClausesQuery {
  readonly kind: 'clauses';
  readonly required: readonly SearchQuery[];
  readonly optional: readonly SearchQuery[];
  readonly excluded: readonly SearchQuery[];
}

/** A search expression as it is written (docs/reference/data-records.md#search). */
export type SearchQuery =
  /** The empty expression, and `*:*`. */
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly SearchQuery[] }
  | { readonly kind: 'not'; readonly of: SearchQuery }
  | ClausesQuery
  | MatchQuery;
