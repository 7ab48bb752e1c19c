import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '@fds/model-schema';
import { describeRecordType } from './describe-record-type.js';
import { readRecordInput } from './read-record-input.js';

const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      id: { type: 'integer' },
      'post-code': { type: 'string' },
      __proto__x: { type: 'string' },
      place: { type: 'object', properties: { 'geo-x': { type: 'number' }, city: { type: 'string' } } },
      tags: { type: 'array', items: { type: 'object', properties: { 'the-label': { type: 'string' } } } },
      owner: { $ref: '/domains/people:v1' },
      friends: { $ref: '/domains/people:v1', multivalued: true },
    },
  },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model is not valid');
const definition = describeRecordType({
  domainName: 'it',
  domainUuid: 'd',
  domainVersionUuid: 'v',
  versionNumber: 1,
  domainType: 'SERVICE_DATA_STORE',
  model,
});
const uuid = '0190c000-0000-7000-8000-00000000000a';

describe('a typed input', () => {
  it.each([
    [{}, {}],
    [{ id: 9_223_372_036_854_775_807n }, { id: 9_223_372_036_854_775_807n }],
    [
      { post_code: null, _proto__x: 'a' },
      { 'post-code': null, __proto__x: 'a' },
    ],
    [
      { place: null, tags: null },
      { place: null, tags: null },
    ],
    [{ place: { geo_x: 1.5, city: null } }, { place: { 'geo-x': 1.5, city: null } }],
    [{ place: {} }, { place: {} }],
    [{ tags: [{ the_label: 'a' }, null, {}] }, { tags: [{ 'the-label': 'a' }, null, {}] }],
    [{ owner: { uuid } }, { owner: { $ref: `/drs/${uuid}` } }],
    [{ owner: { ref: '/domains/people:v1?id=1', uuid: null } }, { owner: { $ref: '/domains/people:v1?id=1' } }],
    [{ friends: [{ drKey: 5n }, { drKey: { id: 6, nick: 'a' } }] }, { friends: [5n, { id: 6, nick: 'a' }] }],
    [
      { owner: null, friends: [] },
      { owner: null, friends: [] },
    ],
  ])('%o is the JSON of a record', (input, json) => {
    expect(readRecordInput(definition, input)).toEqual(json);
  });

  it.each([
    [{ owner: {} }, '/owner'],
    [{ friends: [{ uuid }, { uuid, drKey: 1 }] }, '/friends/1'],
    [{ friends: [{ ref: null }] }, '/friends/0'],
  ])('%o does not state a reference in one way', (input, pointer) => {
    expect(() => readRecordInput(definition, input)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', errors: [expect.objectContaining({ pointer })] }),
    );
  });
});
