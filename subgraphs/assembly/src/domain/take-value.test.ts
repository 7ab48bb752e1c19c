import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonValue } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { readRequestedProperties } from './requested-properties.js';
import { takeValue } from './take-value.js';

const text = { type: 'string' };
const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      text: { type: 'string', maxLength: 2, pattern: '^a' },
      count: { type: 'integer', minimum: 5 },
      size: { type: 'number' },
      flag: { type: 'boolean' },
      address: {
        type: 'object',
        required: ['city'],
        properties: { City: text, zip: { type: 'integer', default: 7 }, constructor: text },
      },
      lines: { type: 'array', items: { type: 'object', properties: { amount: { type: 'integer' }, note: text } } },
      one: { $ref: '/domains/person:v1' },
      many: { $ref: '/domains/person:v1', multivalued: true },
    },
  },
  drKeyProperties: ['text'],
});
const properties = model?.properties ?? [];

const take = (path: string, value: JsonValue): JsonValue | undefined => {
  const [requested] = readRequestedProperties([path], properties);
  if (requested === undefined) throw new Error('no such property');
  return takeValue(value, requested);
};

const deep = parseJson(`${'['.repeat(900)}${']'.repeat(900)}`);

describe('takeValue', () => {
  it.each<[string, JsonValue]>([
    ['text', 'longer than the model allows'],
    ['text', null],
    ['count', 3],
    ['count', 9223372036854775807n],
    ['size', 1.5],
    ['flag', false],
    ['address', {}],
    ['address', { City: null }],
    ['lines', []],
    ['one', 'key'],
    ['one', { $ref: '/drs/0199d0a0-0000-7000-8000-000000000001' }],
    ['one', { a: 1, b: null }],
    ['many', ['a', { b: true }]],
  ])('accepts %s unchanged: %p', (path, value) => {
    expect(take(path, value)).toEqual(value);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['size', 3n, 3],
    ['address', { city: 'Oslo', street: 'x', ZIP: 1 }, { City: 'Oslo', zip: 1 }],
    ['address', { CITY: 'loose', City: 'exact' }, { City: 'exact' }],
    ['address.city', { City: 'Oslo', zip: 1 }, { City: 'Oslo' }],
    ['address.city', { City: 'Oslo', zip: 'of another type, and not asked for' }, { City: 'Oslo' }],
    ['lines.note', [{ amount: 1, note: 'a' }, { amount: 2 }], [{ note: 'a' }, {}]],
    ['many', 'a', ['a']],
  ])('takes of %s what the model has and the request asks for: %p', (path, value, taken) => {
    expect(take(path, value)).toEqual(taken);
  });

  it.each<[string, JsonValue]>([
    ['text', 1],
    ['text', ['a']],
    ['count', '3'],
    ['count', 1.5],
    ['count', 9223372036854775808n],
    ['size', Number.POSITIVE_INFINITY],
    ['size', '1'],
    ['flag', 0],
    ['address', []],
    ['address', 'Oslo'],
    ['address', { City: 1 }],
    ['lines', {}],
    ['lines', [null]],
    ['lines', [{ amount: 'x' }]],
    ['one', ['a']],
    ['one', { a: { b: 1 } }],
    ['many', [['a']]],
    ['text', deep],
    ['one', deep],
    ['many', deep],
  ])('rejects a value of another type for %s: %p', (path, value) => {
    expect(take(path, value)).toBeUndefined();
  });

  it('reads own members only', () => {
    expect(take('address', {})).toEqual({});
    expect(Object.keys(take('address', parseJson('{"__proto__": {"City": "x"}}')) as object)).toEqual([]);
    expect(stringifyJson(take('address', parseJson('{"constructor": "x"}')))).toBe('{"constructor":"x"}');
  });
});
