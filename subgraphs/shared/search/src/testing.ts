// Arbitrary expressions for property tests.
import fc from 'fast-check';
import type { SearchQuery, ValueTest, WildcardPart } from './expression/search-query.js';

/** The parts of an arbitrary expression. */
export interface QueryChoices {
  readonly field: fc.Arbitrary<string | null>;
  /** A test for the field. */
  readonly test: (field: string | null) => fc.Arbitrary<ValueTest>;
  readonly maxDepth: number;
}

/** Arbitrary expressions as `parseSearchQuery` gives them; every position is 0. */
export const arbitraryQuery = ({ field, test, maxDepth }: QueryChoices): fc.Arbitrary<SearchQuery> => {
  const match = field.chain((name) =>
    test(name).map((one): SearchQuery => ({ kind: 'match', field: name, test: one, at: 0 })),
  );
  const { query } = fc.letrec<{ query: SearchQuery; several: SearchQuery[] }>((tie) => ({
    several: fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
    query: fc.oneof(
      { maxDepth, depthSize: 'small', depthIdentifier: 'query' },
      match,
      fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), of: tie('several') }),
      fc.record({ kind: fc.constant('not' as const), of: tie('query') }),
      fc
        .record({
          kind: fc.constant('clauses' as const),
          required: fc.array(tie('query'), { maxLength: 2 }),
          optional: fc.array(tie('query'), { maxLength: 2 }),
          excluded: fc.array(tie('query'), { maxLength: 2 }),
        })
        .filter(({ required, optional, excluded }) => required.length + optional.length + excluded.length > 1),
    ),
  }));
  return query;
};

/** Wildcard terms with their pieces in normal form: no two texts side by side, a wildcard at least, not `*` alone. */
export const arbitraryWildcard = (text: fc.Arbitrary<string>): fc.Arbitrary<ValueTest> =>
  fc
    .array(
      fc.oneof(
        text.filter((each) => each !== '').map((each): WildcardPart => ({ text: each })),
        fc.constantFrom<WildcardPart>({ wild: '*' }, { wild: '?' }),
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.filter((part, index) => !('text' in part && 'text' in (parts[index - 1] ?? { wild: '*' }))))
    .filter((parts) => parts.some((part) => 'wild' in part))
    .filter(([first, second]) => second !== undefined || (first !== undefined && 'wild' in first && first.wild === '?'))
    .map((parts): ValueTest => ({ kind: 'wildcard', parts }));
