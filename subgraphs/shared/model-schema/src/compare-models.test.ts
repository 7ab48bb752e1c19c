import { describe, expect, it } from '@jest/globals';
import { stringifyJson, type JsonObject } from '@fds/json';
import { catalogueProperties } from './catalogue-properties.js';
import { compareModels } from './compare-models.js';
import { compileModelSchema } from './compile-model-schema.js';
import { referencesOf } from './references-of.js';

const modelOf = (properties: JsonObject, drKeyProperties: readonly string[] = ['key']) => {
  const modelSchema = { properties: { key: { type: 'string' }, ...properties } };
  const { model, errors } = compileModelSchema({ modelSchema, drKeyProperties });
  if (model === undefined) throw new Error(stringifyJson(errors));
  return model;
};

const compare = (before: JsonObject, after: JsonObject) => {
  const { added, removed, changedType, drKeyChanged } = compareModels(modelOf(before), modelOf(after));
  return {
    added: added.map(({ path }) => path),
    removed: removed.map(({ path }) => path),
    changed: changedType.map((change) => change.before.path),
    drKeyChanged,
  };
};

const same = { added: [], removed: [], changed: [], drKeyChanged: false };
const nested = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const list = (properties: JsonObject): JsonObject => ({ type: 'array', items: nested(properties) });

describe('two models of a version', () => {
  it.each<[string, JsonObject, JsonObject, object]>([
    ['constraints', { a: { type: 'string', maxLength: 1 } }, { A: { type: 'string', format: 'email' } }, {}],
    [
      'a date instead of text',
      { a: { type: 'string' } },
      { a: { type: 'string', format: 'date-time' } },
      { changed: ['a'] },
    ],
    ['text instead of a date', { a: { type: 'string', format: 'date' } }, { a: { type: 'uri' } }, { changed: ['a'] }],
    ['an addition', {}, { a: nested({ x: { type: 'string' } }) }, { added: ['a'] }],
    ['a removal', { a: list({ x: { type: 'string' } }) }, {}, { removed: ['a'] }],
    [
      'a nested addition',
      { a: list({ x: { type: 'string' } }) },
      { a: list({ x: { type: 'string' }, y: { type: 'string' } }) },
      { added: ['a.y'] },
    ],
    [
      'a nested removal',
      { a: nested({ x: { type: 'string' }, y: { type: 'string' } }) },
      { a: nested({ x: { type: 'string' } }) },
      { removed: ['a.y'] },
    ],
    [
      'another type',
      { a: nested({ x: { type: 'string' } }) },
      { a: nested({ x: { type: 'integer' } }) },
      { changed: ['a.x'] },
    ],
    [
      'a list instead of one',
      { a: nested({ x: { type: 'string' } }) },
      { a: list({ x: { type: 'string' } }) },
      { changed: ['a'] },
    ],
    [
      'references instead of objects',
      { a: list({ x: { type: 'string' } }) },
      { a: { type: 'array', items: { $ref: '/domains/xx:v1' } } },
      { changed: ['a'] },
    ],
    ['a reference elsewhere', { a: { $ref: '/domains/xx:v1' } }, { a: { $ref: '/domains/xx:v2' } }, { changed: ['a'] }],
    ['another link', { a: { $ref: '/domains/xx:v1' } }, { a: { $ref: '/domains/XX:v1', limit: 3, query: 'x:1' } }, {}],
  ])('that differ in %s', (_case, before, after, difference) => {
    expect(compare(before, after)).toEqual({ ...same, ...difference });
  });

  it('may differ in their DR Key', () => {
    const properties = { a: { type: 'string' } };
    const changed = (before: readonly string[], after: readonly string[]) =>
      compareModels(modelOf(properties, before), modelOf(properties, after)).drKeyChanged;
    expect(changed(['key', 'a'], ['KEY', 'A'])).toBe(false);
    expect(changed(['key', 'a'], ['a', 'key'])).toBe(true);
    expect(changed(['key'], ['key', 'a'])).toBe(true);
  });
});

describe('the properties of a model', () => {
  const model = modelOf({
    when: { type: 'string', format: 'date', required: true, description: 'd' },
    o: nested({ l: list({ r: { $ref: '/domains/xx:v1/name' } }) }),
    m: { type: 'array', items: { $ref: '/domains/yy:v2' } },
  });

  it('are listed depth first', () => {
    const plain = { required: false, drKey: false };
    expect(catalogueProperties(model)).toEqual([
      { name: 'key', type: 'string', required: false, drKey: true },
      { name: 'when', type: 'string', format: 'date', required: true, drKey: false, description: 'd' },
      { name: 'o', type: 'object', ...plain },
      { name: 'o.l', type: 'array', ...plain },
      { name: 'o.l.r', type: 'reference', ...plain, reference: '/domains/xx:v1/name' },
      { name: 'm', type: 'array', ...plain, reference: '/domains/yy:v2' },
    ]);
  });

  it('locate their references', () => {
    expect(referencesOf(model).map(({ path, pointer, reference }) => [path, pointer, reference.domain])).toEqual([
      ['o.l.r', '/modelSchema/properties/o/properties/l/items/properties/r/$ref', 'xx'],
      ['m', '/modelSchema/properties/m/items/$ref', 'yy'],
    ]);
  });
});
