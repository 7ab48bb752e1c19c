import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { compileModelSchema } from '@fds/model-schema';
import { readRequestedProperties, type RequestedProperty } from './requested-properties.js';

const text = { type: 'string' };
const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      id: text,
      Address: {
        type: 'object',
        properties: { City: text, geo: { type: 'object', properties: { lat: { type: 'number' }, lon: text } } },
      },
      lines: { type: 'array', items: { type: 'object', properties: { amount: { type: 'integer' }, note: text } } },
      manager: { $ref: '/domains/person:v1' },
    },
  },
  drKeyProperties: ['id'],
});
const properties = model?.properties ?? [];

const paths = (requested: readonly RequestedProperty[], above = ''): string[] =>
  requested.flatMap(({ property: { name }, parts }) =>
    parts.length === 0 ? [`${above}${name}`] : paths(parts, `${above}${name}.`),
  );

const read = (names: readonly string[] | undefined): string[] => paths(readRequestedProperties(names, properties));

const whole = ['id', 'Address.City', 'Address.geo.lat', 'Address.geo.lon', 'lines.amount', 'lines.note', 'manager'];

describe('readRequestedProperties', () => {
  it.each<[string, string[] | undefined, string[]]>([
    ['everything when nothing is named', undefined, whole],
    ['nothing for an empty list', [], []],
    ['names in any case, in the order of the model', ['MANAGER', 'ID'], ['id', 'manager']],
    ['a part of an object', ['address.CITY'], ['Address.City']],
    ['parts of several levels', ['address.geo.lat', 'Address.City'], ['Address.City', 'Address.geo.lat']],
    ['a part of each item of a list', ['lines.note'], ['lines.note']],
    [
      'the whole, when a part of it is named too',
      ['address.geo.lat', 'address.geo'],
      ['Address.geo.lat', 'Address.geo.lon'],
    ],
  ])('gives %s', (_, names, expected) => {
    expect(read(names)).toEqual(expected);
  });

  it.each([
    [['id', 'nobody'], [1]],
    [
      ['nobody.x', 'id', 'address.street'],
      [0, 2],
    ],
    [['id.length'], [0]],
    [['manager.name'], [0]],
    [
      ['', 'address.', '.id'],
      [0, 1, 2],
    ],
    [
      ['constructor', '__proto__', 'address.toString'],
      [0, 1, 2],
    ],
  ])('points at each name of %j that the model does not have', (names, places) => {
    let failure: unknown;
    try {
      read(names);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: places.map((place) => ({ pointer: `/requestedProperties/${place}`, code: 'UNKNOWN_PROPERTY' })),
    });
  });
});
