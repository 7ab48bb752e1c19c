import { describe, expect, it } from '@jest/globals';
import type { Tier } from '@fds/assembly-contract';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { mergeAnswers, provenanceOf } from './merge-answers.js';
import { planMerge } from './merge-plan.js';
import { readRecordAnswer, type RecordAnswer } from './record-answer.js';
import { readRequestedProperties } from './requested-properties.js';
import type { VisibleProperties } from './visibility.js';

const planOf = (names: readonly string[], groups: string[][] = [], requested?: readonly string[]) => {
  const { model } = compileModelSchema({
    modelSchema: {
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      propertyGroups: groups,
    },
    drKeyProperties: [names[0] ?? ''],
  });
  if (model === undefined) throw new Error('the model does not compile');
  return planMerge(readRequestedProperties(requested, model.properties), model);
};

interface Sent {
  readonly tier: Tier;
  readonly data: JsonObject;
  readonly lastUpdated?: number;
  readonly name?: string;
  readonly uuid?: string;
  /** Undefined: everything. */
  readonly visible?: readonly string[];
}

const visibleOf = (names: readonly string[] | undefined): VisibleProperties => ({
  extent: names === undefined ? 'ALL' : 'SOME',
  has: (name) => names === undefined || names.includes(name),
});

const merge = (sent: readonly Sent[], plan: ReturnType<typeof planOf>) => {
  const answers = sent.map(({ tier, data, lastUpdated = 0, name = tier, uuid = name, visible }): RecordAnswer =>
    readRecordAnswer(
      { data, lastUpdated },
      {
        source: { adaptorUuid: uuid, name, zoneUuid: 'z', zoneName: 'Z', tier },
        plan,
        visible: visibleOf(visible),
        knownChange: 0,
      },
    ),
  );
  const merged = mergeAnswers(answers, plan);
  return { data: merged.data, provenance: provenanceOf(merged) };
};

describe('mergeAnswers', () => {
  it('takes each property from the highest tier that sent it', () => {
    const sent: Sent[] = [
      { tier: 'BRONZE', data: { a: '1', b: '1' } },
      { tier: 'GOLD', data: { a: '2' } },
    ];
    expect(merge(sent, planOf(['a', 'b']))).toEqual({
      data: { a: '2', b: '1' },
      provenance: { a: { adaptorUuid: 'GOLD', tier: 'GOLD' }, b: { adaptorUuid: 'BRONZE', tier: 'BRONZE' } },
    });
  });

  it('treats null as a value, but an absent value or one of another type as missing', () => {
    const sent: Sent[] = [
      { tier: 'GOLD', data: { a: null, c: 3 } },
      { tier: 'SILVER', data: { a: '1', b: '2', c: '3' } },
    ];
    expect(merge(sent, planOf(['a', 'b', 'c'])).data).toEqual({ a: null, b: '2', c: '3' });
  });

  it.each<[string, Sent[]]>([
    [
      'the latest change',
      [
        { tier: 'GOLD', data: { a: 'x' }, lastUpdated: 10, name: 'a' },
        { tier: 'GOLD', data: { a: 'taken' }, lastUpdated: 20, name: 'b' },
      ],
    ],
    [
      'then the name',
      [
        { tier: 'GOLD', data: { a: 'x' }, lastUpdated: 10, name: 'y' },
        { tier: 'GOLD', data: { a: 'taken' }, lastUpdated: 10, name: 'x' },
      ],
    ],
    [
      'then the uuid',
      [
        { tier: 'GOLD', data: { a: 'x' }, name: 'x', uuid: '2' },
        { tier: 'GOLD', data: { a: 'taken' }, name: 'x', uuid: '1' },
      ],
    ],
    [
      'only within a tier',
      [
        { tier: 'GOLD', data: { a: 'taken' }, lastUpdated: -5, name: 'z' },
        { tier: 'SILVER', data: { a: 'x' }, lastUpdated: 99, name: 'a' },
      ],
    ],
  ])('decides by %s, in any order of the answers', (_, sent) => {
    expect(merge(sent, planOf(['a'])).data).toEqual({ a: 'taken' });
    expect(merge(sent.toReversed(), planOf(['a'])).data).toEqual({ a: 'taken' });
  });

  describe('the properties of a group', () => {
    const address: Sent[] = [
      { tier: 'GOLD', data: { street: 'A' } },
      { tier: 'SILVER', data: { street: 'B', city: 'C' } },
    ];
    const group = [['street', 'city']];

    it('are all taken from the best source that sent any of them', () => {
      expect(merge(address, planOf(['street', 'city'], group)).data).toEqual({ street: 'A' });
    });

    it('give a single property the value that it has together with the others', () => {
      expect(merge(address, planOf(['street', 'city'], group, ['city'])).data).toEqual({});
    });

    it('are not decided by a hidden value, and never come from different sources', () => {
      const hidden = address.map((each, index) => ({ ...each, ...(index === 0 ? { visible: ['city'] } : {}) }));
      expect(merge(hidden, planOf(['street', 'city'], group))).toEqual({
        data: { street: 'B', city: 'C' },
        provenance: {
          street: { adaptorUuid: 'SILVER', tier: 'SILVER' },
          city: { adaptorUuid: 'SILVER', tier: 'SILVER' },
        },
      });
      const [gold, silver] = [
        { tier: 'GOLD', data: { street: 'A', city: 'hidden' }, visible: ['street'] },
        { tier: 'SILVER', data: { street: 'B', city: 'C' } },
      ] as const;
      expect(merge([gold, silver], planOf(['street', 'city'], group)).data).toEqual({ street: 'A' });
    });

    it('are decided by null as by any value', () => {
      const sent: Sent[] = [
        { tier: 'GOLD', data: { street: null } },
        { tier: 'SILVER', data: { street: 'B', city: 'C' } },
      ];
      expect(merge(sent, planOf(['street', 'city'], group)).data).toEqual({ street: null });
    });
  });

  it('takes properties with names of Object members only if they were sent', () => {
    const names = ['constructor', '__proto__', 'toString'];
    const silver = parseJson('{"constructor": "c", "__proto__": "p", "toString": "t"}') as JsonObject;
    const { data, provenance } = merge(
      [
        { tier: 'GOLD', data: {} },
        { tier: 'SILVER', data: silver },
      ],
      planOf(names),
    );
    expect(stringifyJson(data)).toBe(stringifyJson(silver));
    expect(Object.entries(provenance).map(([name, { tier }]) => [name, tier])).toEqual(
      names.map((name) => [name, 'SILVER']),
    );
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(provenance)).toBe(Object.prototype);
  });

  it('is empty without answers', () => {
    expect(merge([], planOf(['a']))).toEqual({ data: {}, provenance: {} });
  });
});
