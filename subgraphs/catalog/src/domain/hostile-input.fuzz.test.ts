import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import fc from 'fast-check';
import { readMatchingAlgorithm } from '@fds/matching';
import { FaultList } from '@fds/errors';
import { readVersion, withSpellingsOf } from './versions/domain-version.js';
import { mergeModel } from './models/merge-model.js';
import { layValues, readRecordValues } from './models/record-values.js';

const names = `a A id properties items required type $ref __proto__ constructor a/b rules all scores thresholds match
  review property comparator weight length drUuid drKey json`;
const name = fc.constantFrom('', ...names.split(/\s+/));
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<JsonValue>(
      'a',
      'id',
      'SCORED',
      'RULES',
      'PREFIX',
      'string',
      'object',
      '/domains/aa:v1',
      null,
      true,
    ),
    fc.oneof(fc.integer(), fc.double(), fc.bigInt()),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(name, json, { maxKeys: 5, noNullPrototype: true });

const runs = { numRuns: 2_000 };
const prototype = Object.getOwnPropertyNames(Object.prototype);

const modelSchema =
  '{"properties":{"id":{"type":"integer"},"a":{"type":"object","properties":{"x":{"type":"string"}}}}}';
const { model } = readVersion({ modelSchema, drKeyProperties: ['id'] }, new FaultList()).content ?? {};

describe('any content of a body', () => {
  it('an algorithm is read, or its faults are reported', () => {
    fc.assert(
      fc.property(json, (given) => {
        const faults = new FaultList();
        readMatchingAlgorithm(given, [{ name: 'id' }], faults);
        for (const { pointer } of faults.causes) expect(pointer).toMatch(/^\/matchingAlgorithm(?:\/|$)/);
      }),
      runs,
    );
  });

  it('a patch of a model is merged, and properties that it does not name are kept', () => {
    fc.assert(
      fc.property(object, (patch) => {
        const merged = mergeModel(parseJson(modelSchema) as JsonObject, patch);
        if (Object.hasOwn(patch, 'properties')) return;
        expect((merged as JsonObject)['properties']).toEqual((parseJson(modelSchema) as JsonObject)['properties']);
      }),
      runs,
    );
    fc.assert(
      fc.property(object, (properties) => {
        const merged = mergeModel(parseJson(modelSchema) as JsonObject, { properties }) as JsonObject;
        const names = Object.keys(merged['properties'] as JsonObject);
        expect(names.slice(0, 2)).toEqual(['id', 'a']);
        const folded = new Set(names.map((one) => one.toLowerCase()));
        expect(Object.keys(properties).filter((one) => !folded.has(one.toLowerCase()))).toEqual([]);
      }),
      runs,
    );
  });

  it('a version is read, or its faults are reported', () => {
    fc.assert(
      fc.property(json, json, (schema, matchingAlgorithm) => {
        if (model === undefined) throw new Error('the model of the test does not compile');
        const input = { modelSchema: schema, drKeyProperties: ['id'], matchingAlgorithm };
        const faults = new FaultList();
        const { content } = readVersion(withSpellingsOf(model, input), faults);
        expect(content === undefined || !faults.isEmpty || stringifyJson(content.model.modelSchema) !== '').toBe(true);
        if (content === undefined) expect(faults.isEmpty).toBe(false);
      }),
      runs,
    );
  });

  it('values are read and merged into a record without loss, or their faults are reported', () => {
    fc.assert(
      fc.property(json, object, object, (given, record, values) => {
        const faults = new FaultList();
        readRecordValues(given, ['a.x', 'b'], faults);
        for (const { pointer } of faults.causes) expect(pointer).toMatch(/^\/values(?:\/|$)/);
        const folded = Object.keys(layValues(record, values)).map((one) => one.toLowerCase());
        for (const one of [...Object.keys(record), ...Object.keys(values)]) expect(folded).toContain(one.toLowerCase());
      }),
      runs,
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
  });
});
