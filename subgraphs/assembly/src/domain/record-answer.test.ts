import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { planMerge } from './merge-plan.js';
import { readRecordAnswer } from './record-answer.js';
import { readRequestedProperties } from './requested-properties.js';
import type { SentRecord } from './source.js';

const text = { type: 'string' };
const { model } = compileModelSchema({
  modelSchema: {
    properties: { Id: text, size: { type: 'integer' }, street: text, city: { type: 'integer' } },
    propertyGroups: [['street', 'city']],
  },
  drKeyProperties: ['Id'],
});
if (model === undefined) throw new Error('the model does not compile');
const compiled = model;

const read = (sent: SentRecord & { data: JsonObject }, requested?: string[], visible?: string[]) => {
  const answer = readRecordAnswer(sent, {
    source: { adaptorUuid: 'a', name: 'A', zoneUuid: 'z', zoneName: 'Z', tier: 'GOLD' },
    plan: planMerge(readRequestedProperties(requested, compiled.properties), compiled),
    visible: { extent: visible === undefined ? 'ALL' : 'SOME', has: (name) => visible?.includes(name) !== false },
    knownChange: 7,
  });
  return { ...answer, data: Object.fromEntries(answer.values) };
};

describe('readRecordAnswer', () => {
  it('takes values by the names of the model, and no others', () => {
    const data: JsonObject = { ID: 'x', size: 1, other: 2 };
    expect(read({ data })).toMatchObject({ data: { Id: 'x', size: 1 }, isWhole: true });
  });

  it('is not whole when a requested value has another type', () => {
    expect(read({ data: { Id: 'x', size: 'large' } })).toMatchObject({ data: { Id: 'x' }, isWhole: false });
  });

  it('is whole when values of another type are not requested or hidden', () => {
    const data = { Id: 'x', size: 'large', street: 's', city: 'text' };
    expect(read({ data }, ['id', 'street']).isWhole).toBe(true);
    expect(read({ data }, ['id', 'size'], ['Id'])).toMatchObject({ data: { Id: 'x' }, isWhole: true });
  });

  it('hides values in any spelling', () => {
    expect(read({ data: { ID: 'x', SIZE: 1, Size: 2 } }, undefined, ['Id']).data).toEqual({ Id: 'x' });
  });

  it('prefers the time of the change that the adaptor sends', () => {
    expect(read({ data: {} }).lastUpdated).toBe(7);
    expect(read({ data: {}, lastUpdated: 0 }).lastUpdated).toBe(0);
  });

  it('passes additions of the adaptor only to callers that may see the whole record', () => {
    const sent = { data: { Id: 'x' }, additionalParams: { note: 'may hold anything' } };
    expect(read(sent).additionalParams).toEqual({ note: 'may hold anything' });
    expect(read(sent, undefined, ['Id']).additionalParams).toBeUndefined();
  });
});
