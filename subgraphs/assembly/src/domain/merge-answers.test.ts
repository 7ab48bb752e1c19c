import { describe, expect, it } from '@jest/globals';
import type { Tier } from '@fds/assembly-contract';
import type { JsonObject } from '@fds/json';
import { mergeAnswers, type RecordAnswer } from './merge-answers.js';

const answer = (tier: Tier, data: JsonObject, lastUpdated = 0, name: string = tier): RecordAnswer => ({
  source: { adaptorUuid: name, name, zoneUuid: 'z', zoneName: 'Z', tier },
  data,
  lastUpdated,
});

describe('mergeAnswers', () => {
  it('takes each property from the highest tier that sent it', () => {
    const merged = mergeAnswers([answer('BRONZE', { a: 1, b: 1 }), answer('GOLD', { a: 2 })], ['a', 'b'], []);
    expect(merged.data).toEqual({ a: 2, b: 1 });
    expect(merged.provenance).toEqual({
      a: { adaptorUuid: 'GOLD', tier: 'GOLD' },
      b: { adaptorUuid: 'BRONZE', tier: 'BRONZE' },
    });
  });

  it('treats null as a value and absence as none', () => {
    expect(mergeAnswers([answer('GOLD', { a: null }), answer('SILVER', { a: 1, b: 2 })], ['a', 'b'], []).data).toEqual({
      a: null,
      b: 2,
    });
  });

  it('prefers the latest change within a tier, then the name', () => {
    expect(
      mergeAnswers([answer('GOLD', { a: 1 }, 10, 'x'), answer('GOLD', { a: 2 }, 20, 'y')], ['a'], []).data,
    ).toEqual({ a: 2 });
    expect(
      mergeAnswers([answer('GOLD', { a: 1 }, 10, 'y'), answer('GOLD', { a: 2 }, 10, 'x')], ['a'], []).data,
    ).toEqual({ a: 2 });
  });

  it('takes a property group together from the best source that sent any of it', () => {
    const answers = [answer('GOLD', { street: 'A' }), answer('SILVER', { street: 'B', city: 'C' })];
    expect(mergeAnswers(answers, ['street', 'city'], [['street', 'city']]).data).toEqual({ street: 'A' });
  });

  it('keeps a property named __proto__ harmless', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as JsonObject;
    expect(mergeAnswers([answer('GOLD', hostile)], ['a', '__proto__'], []).data['a']).toBe(1);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is empty without answers', () => {
    expect(mergeAnswers([], ['a'], [])).toEqual({ data: {}, provenance: {} });
  });
});
