import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '@fds/json';
import { compileMatching } from './compile-matching.js';
import type { Candidate, MatchResult } from './match-result.js';
import type { Comparison, MatchingAlgorithm } from './matching-algorithm.js';
import { naiveMatch } from './testing/naive-matching.js';

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', 'É', '-', ' ', 'ß'), maxLength: 6 }),
  fc.constantFrom('Smith', 'Smyth', 'Schmidt', 'Jon Smith', 'John Smyth'),
);
const key: fc.Arbitrary<JsonObject> = fc.record({
  name: fc.option(text),
  town: fc.option(text),
  size: fc.option(fc.integer({ min: -6, max: 6 })),
  born: fc.option(fc.integer({ min: 1, max: 28 }).map((day) => `2024-02-${String(day).padStart(2, '0')}`)),
});

const ofText: fc.Arbitrary<Comparison> = fc.record({
  property: fc.constantFrom('name', 'town'),
  comparator: fc.constantFrom('EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PREFIX'),
  maxEdits: fc.integer({ min: 0, max: 3 }),
  length: fc.integer({ min: 1, max: 3 }),
});
const ofAmount: fc.Arbitrary<Comparison> = fc.record({
  property: fc.constantFrom('size', 'born'),
  comparator: fc.constantFrom('EXACT', 'WITHIN'),
  tolerance: fc.integer({ min: 0, max: 4 }),
});
const naive = fc.oneof(ofText, ofAmount);
const sounding = fc.oneof(
  naive,
  fc.record<Comparison>({ property: fc.constantFrom('name', 'town'), comparator: fc.constant('PHONETIC') }),
);

const algorithmOf = (comparison: fc.Arbitrary<Comparison>): fc.Arbitrary<MatchingAlgorithm> => {
  const rules = fc.array(fc.record({ all: fc.array(comparison, { minLength: 1, maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 3,
  });
  const weighted = fc.tuple(comparison, fc.integer({ min: 0, max: 3 })).map(([one, weight]) => ({ ...one, weight }));
  return fc.oneof(
    fc.record({ type: fc.constant('RULES' as const), rules }),
    fc.record({
      type: fc.constant('SCORED' as const),
      rules,
      scores: fc.array(weighted, { minLength: 1, maxLength: 4 }),
      thresholds: fc
        .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 3 }))
        .map(([review, more]) => ({ review, match: review + more })),
      onReview: fc.constantFrom('HOLD', 'PRESUME_NEW', 'PRESUME_MATCH', null),
    }),
  );
};

const candidates: fc.Arbitrary<readonly Candidate[]> = fc
  .array(fc.array(key, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((records) =>
    records.map((keys, number) => ({
      uuid: `record ${number}`,
      keys: keys.map((drKey, index) => ({ adaptorUuid: index === 0 ? null : `adaptor ${index}`, drKey })),
    })),
  );

const names = ['name', 'town', 'size', 'born'];
const runs = { numRuns: 800 };

const told = (result: MatchResult) => ({
  status: result.status,
  uuids:
    result.status === 'NEW'
      ? []
      : (result.status === 'RESOLVED' ? [result.match] : result.candidates).map(({ uuid }) => uuid),
});

describe('whatever the algorithm', () => {
  it('a match is what the specification says, read pair by pair', () => {
    fc.assert(
      fc.property(algorithmOf(naive), key, candidates, (algorithm, source, given) => {
        expect(told(compileMatching(algorithm, names).match(source, given))).toEqual(
          naiveMatch(algorithm, source, given),
        );
      }),
      runs,
    );
  });

  it('nothing is lost where only records are compared that share a token', () => {
    fc.assert(
      fc.property(algorithmOf(sounding), key, candidates, (algorithm, source, given) => {
        const { tokens, match } = compileMatching(algorithm, names);
        const asked = new Set(tokens.asked(source));
        const found = given.filter(({ keys }) =>
          keys.some(({ drKey }) => tokens.stored(drKey).some((token) => asked.has(token))),
        );
        expect(match(source, found)).toEqual(match(source, given));
      }),
      runs,
    );
  });

  it('the order of the candidates does not matter', () => {
    fc.assert(
      fc.property(algorithmOf(sounding), key, candidates, (algorithm, source, given) => {
        const { match } = compileMatching(algorithm, names);
        expect(match(source, given.toReversed())).toEqual(match(source, given));
      }),
      { numRuns: 200 },
    );
  });
});

describe('whatever the values', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom('x'.repeat(1_000_000), '\u0301'.repeat(10_000), 'ﷺ'.repeat(200), '😀'.repeat(300), '\ud800'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(true, false),
  );
  const comparators = ['EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PREFIX', 'PHONETIC', 'WITHIN'] as const;
  const all: MatchingAlgorithm = {
    type: 'RULES',
    rules: [2, 1, 0.3, 1e-9].flatMap((tolerance, index) =>
      comparators.map((comparator) => ({
        all: [{ property: 'name', comparator, maxEdits: index, length: index + 1, tolerance }],
      })),
    ),
  };

  it('equal values match by each comparator that has something to compare, with a bounded number of tokens', () => {
    const { tokens, match } = compileMatching(all, ['name']);
    fc.assert(
      fc.property(hostile, (value) => {
        const drKey = { name: value };
        expect(match(drKey, [{ uuid: 'r', keys: [{ adaptorUuid: null, drKey: { name: value } }] }]).status).toBe(
          'RESOLVED',
        );
        const asked = new Set(tokens.asked(drKey));
        expect(tokens.stored(drKey).some((token) => asked.has(token))).toBe(true);
        expect(asked.size).toBeLessThanOrEqual(all.rules.length * 64);
        expect(tokens.stored(drKey).length).toBeLessThanOrEqual(all.rules.length * 16);
      }),
      { numRuns: 200 },
    );
  });
});
