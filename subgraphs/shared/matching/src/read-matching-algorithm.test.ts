import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@fds/json';
import { FaultList } from '@fds/errors';
import { readMatchingAlgorithm } from './read-matching-algorithm.js';

const keyProperties = [
  { name: 'name', type: 'string' },
  { name: 'born', type: 'string', format: 'date' },
  { name: 'size', type: 'number' },
] as const;

describe('readMatchingAlgorithm', () => {
  const comparison = { property: 'name', comparator: 'FUZZY', maxEdits: 1 };
  const rules = [{ all: [comparison] }];
  const scored = {
    type: 'SCORED',
    rules,
    scores: [{ ...comparison, weight: 0.5 }],
    thresholds: { match: 1, review: 0.5 },
  };
  it.each<[JsonValue, string[]]>([
    [null, []],
    [{ type: 'EXACT' }, []],
    [{ type: 'RULES', rules }, []],
    [{ ...scored, onReview: 'PRESUME_NEW' }, []],
    [{ type: 'NEAR' }, ['/matchingAlgorithm/type UNKNOWN_VALUE']],
    ['text', ['/matchingAlgorithm INVALID_TYPE']],
    [{ type: 'EXACT', rules }, ['/matchingAlgorithm/rules UNKNOWN_PROPERTY']],
    [{ type: 'RULES' }, ['/matchingAlgorithm/rules REQUIRED']],
    [
      { type: 'RULES', rules: [{ all: [{ property: 'age', comparator: 'SOUNDS' }] }] },
      [
        '/matchingAlgorithm/rules/0/all/0/property NOT_A_DR_KEY',
        '/matchingAlgorithm/rules/0/all/0/comparator UNKNOWN_VALUE',
      ],
    ],
    [{ ...scored, scores: [comparison] }, ['/matchingAlgorithm/scores/0/weight REQUIRED']],
    [{ ...scored, thresholds: { match: 1, review: 2 } }, ['/matchingAlgorithm/thresholds/review OUT_OF_RANGE']],
    [{ ...scored, thresholds: { match: 1, review: 1 }, onReview: null }, []],
    [
      { ...scored, thresholds: { match: 1, review: 0.5, 'a/b': 1 } },
      ['/matchingAlgorithm/thresholds/a~1b UNKNOWN_PROPERTY'],
    ],
    [
      { ...scored, thresholds: { match: -1, review: '1' } },
      ['/matchingAlgorithm/thresholds/match OUT_OF_RANGE', '/matchingAlgorithm/thresholds/review OUT_OF_RANGE'],
    ],
    [
      { type: 'SCORED' },
      [
        '/matchingAlgorithm/rules REQUIRED',
        '/matchingAlgorithm/scores REQUIRED',
        '/matchingAlgorithm/thresholds REQUIRED',
      ],
    ],
    [{ type: 'RULES', rules: [] }, ['/matchingAlgorithm/rules REQUIRED']],
    [{ type: 'RULES', rules: Array.from({ length: 101 }, () => 1) }, ['/matchingAlgorithm/rules TOO_LARGE']],
    [
      { type: 'RULES', rules: [{ all: [] }, 1, {}] },
      [
        '/matchingAlgorithm/rules/0/all REQUIRED',
        '/matchingAlgorithm/rules/1 INVALID_TYPE',
        '/matchingAlgorithm/rules/2/all REQUIRED',
      ],
    ],
    ...['EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PHONETIC'].map((comparator): [JsonValue, string[]] => [
      {
        type: 'RULES',
        rules: [{ all: [{ property: 'NAME', comparator, maxEdits: null, length: null, tolerance: null }] }],
      },
      [],
    ]),
    ...(
      [
        [{ comparator: 'PREFIX' }, ['length REQUIRED']],
        [{ comparator: 'PREFIX', length: 0 }, ['length OUT_OF_RANGE']],
        [{ comparator: 'PREFIX', length: 3 }, []],
        [{ comparator: 'WITHIN' }, ['tolerance REQUIRED']],
        [{ comparator: 'WITHIN', tolerance: 0.5 }, []],
        [{ comparator: 'FUZZY', maxEdits: 1.5 }, ['maxEdits OUT_OF_RANGE']],
        [{ comparator: 'FUZZY', maxEdits: -1 }, ['maxEdits OUT_OF_RANGE']],
        [{ comparator: 'FUZZY', maxEdits: 4 }, ['maxEdits OUT_OF_RANGE']],
        [{ comparator: 'FUZZY', edits: 1 }, ['edits UNKNOWN_PROPERTY']],
        [{ comparator: 'FUZZY', weight: 1 }, ['weight UNKNOWN_PROPERTY']],
      ] as const
    ).map(([members, faults]): [JsonValue, string[]] => [
      { type: 'RULES', rules: [{ all: [{ property: 'size', ...members }] }] },
      faults.map((fault) => `/matchingAlgorithm/rules/0/all/0/${fault}`),
    ]),
    [{ type: 'RULES', rules: [{ all: [{ property: 'born', comparator: 'WITHIN', tolerance: 3 }] }] }, []],
    [
      { type: 'RULES', rules: [{ all: [{ property: 'name', comparator: 'WITHIN', tolerance: 3 }] }] },
      ['/matchingAlgorithm/rules/0/all/0/comparator NOT_ALLOWED'],
    ],
    [
      {
        type: 'RULES',
        rules: Array.from({ length: 5 }, () => ({ all: Array.from({ length: 60 }, () => comparison) })),
      },
      ['/matchingAlgorithm/rules TOO_LARGE'],
    ],
    [{ ...scored, onReview: 'ASK' }, ['/matchingAlgorithm/onReview UNKNOWN_VALUE']],
  ])('%j has the faults %j', (algorithm, faults) => {
    const list = new FaultList();
    readMatchingAlgorithm(algorithm, keyProperties, list);
    expect(list.causes.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
  });
});
