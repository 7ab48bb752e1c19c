import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import fc from 'fast-check';
import { parseSearchQuery } from './parse-search-query.js';
import { printSearchQuery } from './print-search-query.js';
import type { Operand, SearchQuery, ValueTest } from './search-query.js';
import { arbitraryQuery, arbitraryWildcard } from '../testing.js';

const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.string({ unit: fc.constantFrom(...String.raw`\"*?~/:()[]{}$+-!&|^<>= TOANDRx`.split('')), maxLength: 6 }),
  )
  .filter((each) => !each.includes('\0'));
const operand: fc.Arbitrary<Operand> = fc.oneof(
  text.map((value): Operand => ({ kind: 'literal', value })),
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/).map((name): Operand => ({ kind: 'placeholder', name })),
);
const bound = fc.option(fc.record({ operand, inclusive: fc.boolean() }));
const test: fc.Arbitrary<ValueTest> = fc.oneof(
  operand.map((each): ValueTest => ({ kind: 'equals', operand: each })),
  fc.constant<ValueTest>({ kind: 'present' }),
  arbitraryWildcard(text),
  fc.record({ kind: fc.constant('fuzzy' as const), value: text.filter((each) => each !== ''), maxEdits: fc.nat(2) }),
  fc.record({ kind: fc.constant('range' as const), from: bound, to: bound }),
  fc
    .array(fc.constantFrom('a', '/', String.raw`\\`, String.raw`\d`, '[b]', '.'), { maxLength: 6 })
    .map((pieces): ValueTest => ({ kind: 'pattern', source: pieces.join('') })),
);
const query = arbitraryQuery({
  field: fc.option(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,5}$/)),
  test: () => test,
  maxDepth: 4,
});

const atZero = (each: SearchQuery): SearchQuery => {
  switch (each.kind) {
    case 'all':
      return each;
    case 'match':
      return { ...each, at: 0 };
    case 'not':
      return { ...each, of: atZero(each.of) };
    case 'and':
    case 'or':
      return { ...each, of: each.of.map(atZero) };
    case 'clauses':
      return {
        ...each,
        required: each.required.map(atZero),
        optional: each.optional.map(atZero),
        excluded: each.excluded.map(atZero),
      };
  }
};

/** fast-check's objects have no prototype. */
const normal = (each: SearchQuery): SearchQuery => JSON.parse(JSON.stringify(each)) as SearchQuery;

describe('printSearchQuery', () => {
  it('writes text that parseSearchQuery reads as the same expression', () => {
    fc.assert(
      fc.property(query, (each) => {
        expect(normal(atZero(parseSearchQuery(printSearchQuery(each), { placeholders: 'allowed' })))).toEqual(
          normal(each),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('reads junk or refuses it with a position inside the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string({ unit: fc.constantFrom(...'a:*?~/()[]{}"\\+-! ORANDTO'.split('')), maxLength: 40 })),
        (junk) => {
          try {
            parseSearchQuery(junk);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            const position = (error as AppError).details['position'] as number;
            expect(position).toBeGreaterThanOrEqual(0);
            expect(position).toBeLessThanOrEqual(junk.length);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});
