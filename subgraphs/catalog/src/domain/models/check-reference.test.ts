import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { compileModelSchema, referencesOf, type CompiledModel } from '@fds/model-schema';
import { FaultList } from '@fds/errors';
import { checkReference } from './check-reference.js';

const modelOf = (properties: JsonObject, key: string): CompiledModel => {
  const { model } = compileModelSchema({ modelSchema: { properties }, drKeyProperties: [key] });
  if (model === undefined) throw new Error('the model of the test does not compile');
  return model;
};

const target = modelOf(
  {
    id: { type: 'integer' },
    name: { type: 'string' },
    at: { type: 'object', properties: { city: { type: 'string' } } },
  },
  'id',
);

describe('the names of target properties that a reference uses', () => {
  it.each<[JsonObject, readonly string[]]>([
    [{ $ref: '/domains/to:v1' }, []],
    [{ $ref: '/domains/to:v1/NAME', query: 'ID:${key}', sort: '-Name', limit: 3 }, []],
    [{ $ref: '/domains/to:v1/colour' }, ['$ref UNKNOWN_REFERENCE']],
    [{ $ref: '/domains/to:v1/at' }, ['$ref UNKNOWN_REFERENCE']],
    [{ $ref: '/domains/to:v1/toString' }, ['$ref UNKNOWN_REFERENCE']],
    [{ $ref: '/domains/to:v1', query: 'name:${key}' }, ['query UNKNOWN_PROPERTY']],
    [{ $ref: '/domains/to:v1', query: 'id:abc AND colour:x' }, ['query INVALID_VALUE', 'query UNKNOWN_PROPERTY']],
    [{ $ref: '/domains/to:v1', query: '${key}' }, []],
    [{ $ref: '/domains/to:v1', sort: 'at' }, ['sort UNKNOWN_PROPERTY']],
    [{ $ref: '/domains/to:v1', sort: '-colour' }, ['sort UNKNOWN_PROPERTY']],
  ])('%j has the faults %j', (reference, expected) => {
    const model = modelOf({ key: { type: 'string' }, link: reference }, 'key');
    const faults = new FaultList();
    const { properties } = target;
    for (const located of referencesOf(model)) {
      checkReference(located, { properties, domainType: 'SERVICE_DATA_STORE' }, faults);
    }
    const found = faults.causes.map(
      ({ pointer, code }) => `${pointer.replace('/modelSchema/properties/link/', '')} ${code}`,
    );
    expect(found).toEqual(expected);
  });

  it.each([
    ['id', []],
    ['-ID', []],
    ['name', ['NOT_A_DR_KEY']],
  ])('the sort %s of a federated target has the faults %j', (sort, codes) => {
    const model = modelOf({ key: { type: 'string' }, link: { $ref: '/domains/to:v1', sort } }, 'key');
    const faults = new FaultList();
    for (const located of referencesOf(model)) {
      checkReference(located, { properties: target.properties, domainType: 'FEDERATED' }, faults);
    }
    expect(faults.causes.map(({ code }) => code)).toEqual(codes);
  });
});
