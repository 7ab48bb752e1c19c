import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { compareModels, compileModelSchema, type CompiledModel } from '@fds/model-schema';
import fc from 'fast-check';
import { keepSpellings } from './keep-spellings.js';
import { mergeModel } from './merge-model.js';

/** Few names, each in two spellings, so that schemas often overlap. */
const name = fc.constantFrom('a', 'A', 'b', 'B', 'c', '__proto__');

const schema: fc.Arbitrary<JsonObject> = fc
  .letrec<{ properties: JsonObject }>((tie) => ({
    properties: fc
      .uniqueArray(
        fc.tuple(
          name,
          fc.oneof(
            { depthSize: 'small' },
            fc.constantFrom({ type: 'string' }, { type: 'int', required: true }, { type: 'string', format: 'date' }),
            fc.constantFrom({ $ref: '/domains/xx:v1' }, { $ref: '/domains/xx:v1', multivalued: true }),
            tie('properties').map((properties) => ({ type: 'object', properties })),
            tie('properties').map((properties) => ({ type: 'array', items: { properties } })),
          ),
        ),
        { minLength: 1, maxLength: 3, selector: ([own]) => own.toLowerCase() },
      )
      .map((entries): JsonObject => Object.fromEntries(entries)),
  }))
  .properties.map((properties) => ({ properties: { key: { type: 'string' }, ...properties } }));

const modelOf = (modelSchema: unknown): CompiledModel => {
  const { model, errors } = compileModelSchema({ modelSchema: modelSchema as JsonObject, drKeyProperties: ['key'] });
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return model;
};

const runs = { numRuns: 1_000 };
const pathsOf = (properties: readonly { readonly path: string }[]): string[] =>
  properties.map(({ path }) => path.toLowerCase()).sort();

describe('two random models', () => {
  it('differ equally in both directions, and do not differ from themselves', () => {
    let changes = 0;
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        const [before, after] = [modelOf(one), modelOf(other)];
        const [there, back] = [compareModels(before, after), compareModels(after, before)];
        expect(pathsOf(there.removed)).toEqual(pathsOf(back.added));
        expect(pathsOf(there.added)).toEqual(pathsOf(back.removed));
        expect(pathsOf(there.changedType.map((change) => change.before))).toEqual(
          pathsOf(back.changedType.map((change) => change.before)),
        );
        changes += there.changedType.length;
        expect(compareModels(before, modelOf(one))).toEqual({
          added: [],
          removed: [],
          changedType: [],
          drKeyChanged: false,
        });
      }),
      runs,
    );
    expect(changes).toBeGreaterThan(100);
  });

  it('lose no property when one is merged into the other', () => {
    fc.assert(
      fc.property(schema, schema, (stored, patch) => {
        const [before, added] = [modelOf(stored), modelOf(patch)];
        const merged = modelOf(mergeModel(before.modelSchema, patch));
        const gone = compareModels(before, merged);
        // properties below a property whose type changes are removed with it
        expect(gone.removed).toEqual([]);
        expect(compareModels(added, merged).removed).toEqual([]);
        expect(compareModels(added, merged).changedType).toEqual([]);
        const required = before.properties.filter((property) => property.required).map((property) => property.name);
        for (const known of required) {
          const property = merged.properties.find((candidate) => candidate.name === known);
          expect(property?.type === 'reference' || property?.required).toBe(true);
        }
      }),
      runs,
    );
  });

  it('spell common properties in the same way after keepSpellings', () => {
    fc.assert(
      fc.property(schema, schema, (stored, posted) => {
        const before = modelOf(stored);
        const after = modelOf(keepSpellings(posted, before));
        const spellings = new Map(before.properties.map(({ name: own }) => [own.toLowerCase(), own]));
        for (const { name: own } of after.properties) expect(spellings.get(own.toLowerCase()) ?? own).toBe(own);
        expect(compareModels(modelOf(posted), after)).toMatchObject({ added: [], removed: [], changedType: [] });
      }),
      runs,
    );
  });
});
