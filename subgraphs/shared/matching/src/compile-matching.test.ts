import { describe, expect, it } from '@jest/globals';
import { compileMatching } from './compile-matching.js';
import type { Candidate } from './match-result.js';
import type { MatchingAlgorithm } from './matching-algorithm.js';

const record = (uuid: string, ...keys: readonly (readonly [string | null, string | null])[]): Candidate => ({
  uuid,
  keys: keys.map(([name, born], index) => ({ adaptorUuid: index === 0 ? null : `a${index}`, drKey: { name, born } })),
});

const rules = [
  {
    all: [
      { property: 'NAME', comparator: 'NORMALIZED' },
      { property: 'born', comparator: 'EXACT' },
    ],
  },
  {
    all: [
      { property: 'name', comparator: 'FUZZY', maxEdits: 1 },
      { property: 'born', comparator: 'EXACT' },
    ],
  },
] as const;
const byRules = compileMatching({ type: 'RULES', rules }, ['name', 'born']);

const scored = (onReview?: 'HOLD' | 'PRESUME_NEW' | 'PRESUME_MATCH'): MatchingAlgorithm => ({
  type: 'SCORED',
  rules: [{ all: [{ property: 'name', comparator: 'PREFIX', length: 1 }] }],
  scores: [
    { property: 'name', comparator: 'NORMALIZED', weight: 0.7 },
    { property: 'name', comparator: 'FUZZY', maxEdits: 2, weight: 0.1 },
    { property: 'born', comparator: 'EXACT', weight: 0.2 },
  ],
  thresholds: { match: 1, review: 0.3 },
  ...(onReview === undefined ? {} : { onReview }),
});

const ann = { name: 'Ann', born: '2000-01-01' };

describe('rules', () => {
  it('resolve where one record satisfies one of them, by any of its keys', () => {
    const candidates = [
      record('r1', ['Bob', '2000-01-01'], ['ANN', '2000-01-01']),
      record('r2', ['Ann', '2001-01-01']),
      record('r3', [null, '2000-01-01']),
    ];
    expect(byRules.match(ann, candidates)).toEqual({
      status: 'RESOLVED',
      match: {
        uuid: 'r1',
        adaptorUuid: 'a1',
        drKey: { name: 'ANN', born: '2000-01-01' },
        score: null,
        comparisons: [
          { property: 'name', comparator: 'NORMALIZED', source: 'Ann', destination: 'ANN', holds: true },
          {
            property: 'born',
            comparator: 'EXACT',
            source: '2000-01-01',
            destination: '2000-01-01',
            holds: true,
          },
        ],
      },
    });
  });

  it('leave open which of several records is meant, the oldest first', () => {
    const found = byRules.match(ann, [record('r2', ['ann', ann.born]), record('r1', ['Anne', ann.born])]);
    expect(found).toMatchObject({ status: 'AMBIGUOUS', candidates: [{ uuid: 'r1' }, { uuid: 'r2' }] });
  });

  it('hold for nothing that is null or absent, on either side', () => {
    const nobody = { name: 'Ann', born: null };
    expect(byRules.match(nobody, [record('r1', ['Ann', null])])).toEqual({ status: 'NEW' });
    expect(byRules.match({ name: 'Ann' }, [record('r1', ['Ann', null])])).toEqual({ status: 'NEW' });
    expect(byRules.match(ann, [])).toEqual({ status: 'NEW' });
  });
});

describe('scores', () => {
  const match = (onReview: Parameters<typeof scored>[0], ...candidates: readonly Candidate[]) =>
    compileMatching(scored(onReview), ['name', 'born']).match(ann, candidates);
  const same = record('r1', ['ann', ann.born]);
  const twin = record('r2', ['ANN', ann.born]);
  const near = record('r3', ['Anja', ann.born]);
  const far = record('r4', ['Adelheid', ann.born]);
  const other = record('r5', ['Bob', ann.born]);

  it('that equal a threshold reach it, summed without rounding', () => {
    expect(match('HOLD', same)).toMatchObject({ status: 'RESOLVED', match: { uuid: 'r1', score: 1 } });
    expect(match('HOLD', near)).toMatchObject({ status: 'AMBIGUOUS', candidates: [{ uuid: 'r3', score: 0.3 }] });
    expect(match('HOLD', far)).toEqual({ status: 'NEW' });
  });

  it('count only for records that a rule selects', () => {
    expect(match('HOLD', other)).toEqual({ status: 'NEW' });
  });

  it('resolve to a single match, also with other near records', () => {
    expect(match('HOLD', near, same)).toMatchObject({ status: 'RESOLVED', match: { uuid: 'r1' } });
  });

  it('report each comparison with its weight, also a false one', () => {
    const found = match(undefined, near);
    expect(found).toMatchObject({
      candidates: [
        {
          comparisons: [
            { comparator: 'NORMALIZED', holds: false, weight: 0.7 },
            { comparator: 'FUZZY', maxEdits: 2, source: 'Ann', destination: 'Anja', holds: true, weight: 0.1 },
            { comparator: 'EXACT', holds: true, weight: 0.2 },
          ],
        },
      ],
    });
  });

  it.each([
    [undefined, 'AMBIGUOUS'],
    ['HOLD', 'AMBIGUOUS'],
    ['PRESUME_NEW', 'PRESUMED_NEW'],
    ['PRESUME_MATCH', 'PRESUMED_MATCH'],
  ] as const)('with onReview %s make several matches, and one in question, %s', (onReview, status) => {
    const several = match(onReview, far, twin, near, same);
    expect(several).toMatchObject({ status, candidates: [{ uuid: 'r1' }, { uuid: 'r2' }, { uuid: 'r3' }] });
    if (several.status === 'PRESUMED_MATCH') expect(several.match.uuid).toBe('r1');
    expect(match(onReview, near)).toMatchObject({ status, candidates: [{ uuid: 'r3' }] });
  });
});

describe('decimals', () => {
  const price = { property: 'price' } as const;
  const asked = (comparison: {
    readonly comparator: 'EXACT' | 'IGNORE_CASE' | 'WITHIN';
    readonly tolerance?: number;
  }) =>
    compileMatching({ type: 'RULES', rules: [{ all: [{ ...price, ...comparison }] }] }, ['price'], new Set(['price']));
  const candidate = { uuid: 'a', keys: [{ adaptorUuid: null, drKey: { price: '10.50' } }] };

  it.each([
    [{ comparator: 'EXACT' }, '10.5', true],
    [{ comparator: 'EXACT' }, '10.51', false],
    [{ comparator: 'IGNORE_CASE' }, '010.500', true],
    [{ comparator: 'WITHIN', tolerance: 0.1 }, '10.6', true],
    [{ comparator: 'WITHIN', tolerance: 0.1 }, '10.6000000000000000000001', false],
  ] as const)('compare as numbers: %j with %s', (comparison, given, holds) => {
    const { match, tokens } = asked(comparison);
    expect(match({ price: given }, [candidate]).status).toBe(holds ? 'RESOLVED' : 'NEW');
    if (!holds) return;
    // the index of tokens leads to the candidate
    const stored = new Set(tokens.stored({ price: '10.50' }));
    expect(tokens.asked({ price: given }).some((token) => stored.has(token))).toBe(true);
  });
});
