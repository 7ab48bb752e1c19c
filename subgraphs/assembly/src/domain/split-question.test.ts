import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '@fds/model-schema';
import { planMerge } from './merge-plan.js';
import { readRequestedProperties } from './requested-properties.js';
import { splitQuestion } from './split-question.js';
import type { VisibleProperties } from './visibility.js';

const text = { type: 'string' };
const { model } = compileModelSchema({
  modelSchema: {
    properties: { id: text, Street: text, city: text, geo: { type: 'object', properties: { lat: text } } },
    propertyGroups: [['Street', 'city']],
  },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model does not compile');
const compiled = model;

const all: VisibleProperties = { extent: 'ALL', has: () => true };
const only = (...names: string[]): VisibleProperties => ({ extent: 'SOME', has: (name) => names.includes(name) });

const split = (visible: Record<string, VisibleProperties>, requested?: string[]) =>
  splitQuestion(
    Object.keys(visible),
    planMerge(readRequestedProperties(requested, compiled.properties), compiled),
    (uuid) => visible[uuid] ?? all,
  ).map(({ recordUuids, requestedProperties }) => [recordUuids, requestedProperties]);

describe('splitQuestion', () => {
  it('asks once for everything', () => {
    expect(split({ r: all, s: all })).toEqual([[['r', 's'], null]]);
    expect(split({ r: all }, ['geo', 'CITY', 'street', 'id'])).toEqual([[['r'], null]]);
  });

  it('asks for properties at the top level in the spelling of the model, and for whole groups', () => {
    expect(split({ r: all }, ['GEO.lat', 'city'])).toEqual([[['r'], ['Street', 'city', 'geo']]]);
    expect(split({ r: all }, ['GEO.lat', 'id', 'street'])).toEqual([[['r'], ['id', 'Street', 'city', 'geo']]]);
  });

  it('does not ask for a property of a record that the caller may not see', () => {
    expect(split({ r: only('id', 'city'), s: all, t: only('id', 'city'), u: only('geo') }, ['id', 'street'])).toEqual([
      [
        ['r', 't'],
        ['id', 'city'],
      ],
      [['s'], ['id', 'Street', 'city']],
      [['u'], []],
    ]);
    expect(split({ r: only('id') })).toEqual([[['r'], ['id']]]);
  });
});
