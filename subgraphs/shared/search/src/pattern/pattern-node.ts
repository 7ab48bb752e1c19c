/** Code points from the first to the second, both included. */
export type CodePointRange = readonly [number, number];

/**
 * A regular expression of search, restricted to the syntax that a finite automaton can run. Holds for a whole value.
 */
export type PatternNode =
  | { readonly kind: 'text'; readonly text: string }
  /** Any one character, line breaks too. */
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly ranges: readonly CodePointRange[]; readonly negated: boolean }
  | { readonly kind: 'sequence' | 'either'; readonly of: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly of: PatternNode; readonly min: number; readonly max: number | null };
