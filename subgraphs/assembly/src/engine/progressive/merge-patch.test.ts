import { describe, expect, it } from '@jest/globals';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import fc from 'fast-check';
import { mergePatch } from './merge-patch.js';

/** MergePatch of RFC 7396, section 2, word for word. */
const applyPatch = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isJsonObject(patch)) return patch;
  const members = new Map<string, JsonValue | undefined>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else if (value !== undefined) members.set(name, applyPatch(members.get(name), value));
  }
  return Object.fromEntries(members);
};

const document = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, 0, 1, 'x', true, 9223372036854775807n),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 4 }),
})).object;

const hasNull = (value: JsonValue | undefined): boolean =>
  value === null || (isJsonObject(value) && Object.values(value).some(hasNull));

describe('mergePatch', () => {
  it.each<[JsonObject, JsonObject, JsonObject | undefined]>([
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1, b: 2 }, { a: 3 }, { a: 3, b: null }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    [{ a: [1, null] }, { a: [null] }, { a: [null] }],
    [{ a: null }, { a: null, b: 1 }, { b: 1 }],
    [{ a: 1 }, { a: null }, undefined],
    [{}, { a: { b: null } }, undefined],
    [{ a: null }, {}, { a: null }],
  ])('turns %j into %j by %j', (from, to, patch) => {
    expect(mergePatch(from, to)).toEqual(patch);
  });

  it('creates a patch that turns one document into the other, unless a member becomes null', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        const patch = mergePatch(from, to);
        if (patch === undefined) expect(hasNull(to)).toBe(true);
        else expect(canonicalJson(applyPatch(from, patch))).toBe(canonicalJson(to));
      }),
      { numRuns: 5_000 },
    );
  });
});
