import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { compileModelSchema } from '../compile-model-schema.js';
import { mapReferences } from './map-references.js';

const to = { $ref: '/domains/to:v1' };
const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      id: { type: 'integer' },
      one: to,
      many: { ...to, multivalued: true },
      list: { type: 'array', items: to },
      home: { type: 'object', properties: { town: to, plain: { type: 'string' } } },
      trips: { type: 'array', items: { type: 'object', properties: { 'to-from': to } } },
    },
  },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model of the test does not compile');

const placesOf = (record: JsonObject) => {
  const present: string[] = [];
  const open: string[] = [];
  mapReferences(model, record, {
    present: ({ pointer, path, value }) => {
      present.push(`${pointer} ${path}`);
      return value;
    },
    open: ({ pointer, path, list }) => {
      open.push(`${pointer} ${path}${list ? ' list' : ''}`);
      return undefined;
    },
  });
  return { present, open };
};

describe('mapReferences', () => {
  it('reports references with and without a value, in every object that there is', () => {
    expect(
      placesOf({ id: 1, one: null, list: [1, null, 2], home: { plain: '' }, trips: [{ 'to-from': 1 }, {}, null] }),
    ).toEqual({
      present: ['/list/0 list', '/list/2 list', '/trips/0/to-from trips.to-from'],
      open: ['/home/town home.town', '/trips/1/to-from trips.to-from', '/one one', '/many many list'],
    });
    expect(placesOf({ id: 1, one: 5, many: [], list: [], home: null })).toEqual({ present: ['/one one'], open: [] });
  });

  it('fills a reference with the name __proto__ as any other', () => {
    const { model: odd } = compileModelSchema({
      modelSchema: JSON.parse(
        '{"properties":{"id":{"type":"integer"},"__proto__":{"$ref":"/domains/to:v1","query":"id:1"}}}',
      ) as JsonObject,
      drKeyProperties: ['id'],
    });
    if (odd === undefined) throw new Error('the model of the test does not compile');
    const mapped = mapReferences(odd, { id: 1 }, { present: ({ value }) => value, open: () => ({ id: 2 }) });
    expect(JSON.stringify(mapped)).toBe('{"id":1,"__proto__":{"id":2}}');
  });

  it('maps a list as one value where that is asked for', () => {
    const lists: unknown[] = [];
    const mapped = mapReferences(
      model,
      { id: 1, one: 5, many: [], list: [1, null] },
      {
        lists: 'WHOLE',
        present: ({ pointer, list, value }) => {
          lists.push([pointer, list, value]);
          return Array.isArray(value) ? value.length : value;
        },
      },
    );
    expect(lists).toEqual([
      ['/one', false, 5],
      ['/many', true, []],
      ['/list', true, [1, null]],
    ]);
    expect(mapped).toEqual({ id: 1, one: 5, many: 0, list: 2 });
  });

  it('fills what was open and keeps the rest', () => {
    const record = { id: 1, many: [3], home: { plain: 'x' } };
    expect(
      mapReferences(model, record, {
        present: ({ value }) => ({ was: value }),
        open: ({ path }) => (path === 'home.town' ? 'filled' : path === 'one' ? null : undefined),
      }),
    ).toEqual({ id: 1, one: null, many: [{ was: 3 }], home: { plain: 'x', town: 'filled' } });
    expect(mapReferences(model, record, { present: ({ value }) => value, open: () => undefined })).toBe(record);
  });
});
