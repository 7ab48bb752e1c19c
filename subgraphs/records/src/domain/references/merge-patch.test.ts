import { describe, expect, it } from '@jest/globals';
import { compileModelSchema, type CompiledModel } from '@fds/model-schema';
import type { JsonObject } from '@fds/json';
import { mergePatch } from './merge-patch.js';

const compile = (properties: JsonObject): CompiledModel => {
  const { model } = compileModelSchema({
    modelSchema: { properties: { id: { type: 'integer' }, ...properties } },
    drKeyProperties: ['id'],
  });
  if (model === undefined) throw new TypeError('the model does not compile');
  return model;
};

const plain = compile({});
const referring = compile({
  one: { $ref: '/domains/Other:v1' },
  nested: { type: 'object', properties: { deep: { $ref: '/domains/Other:v1' }, note: { type: 'string' } } },
});

describe('mergePatch', () => {
  // RFC 7396, Appendix A: the cases whose patch and target are objects
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j and %j is %j', (stored, patch, merged) => {
    const before = JSON.stringify([stored, patch]);
    expect(mergePatch(plain, stored, patch)).toEqual(merged);
    expect(JSON.stringify([stored, patch])).toBe(before);
  });

  it('matches names ignoring case and keeps the spelling that is stored', () => {
    expect(mergePatch(plain, { Name: 'a', Place: { City: 'b' } }, { NAME: 'c', place: { city: null } })).toEqual({
      Name: 'c',
      Place: {},
    });
  });

  it('replaces a reference as a whole, wherever it is', () => {
    const stored = { one: { $ref: '/drs/1' }, nested: { deep: { $ref: '/drs/2' }, note: 'n' } };
    expect(mergePatch(referring, stored, { one: { id: 1 }, nested: { deep: { id: 2 } } })).toEqual({
      one: { id: 1 },
      nested: { deep: { id: 2 }, note: 'n' },
    });
  });

  it('takes hostile names for names', () => {
    const patch = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    ) as JsonObject;
    const merged = mergePatch(plain, {}, patch);
    expect(Object.keys(merged)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
