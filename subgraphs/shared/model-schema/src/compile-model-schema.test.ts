import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema } from './compile-model-schema.js';
import type { CompiledModel } from './compiled-model.js';

const compile = (modelSchema: JsonValue, drKeyProperties: readonly string[] = ['key']) =>
  compileModelSchema({ modelSchema, drKeyProperties });

/** `code pointer` of every fault of a schema that has these properties in addition to its key. */
const faultsOf = (properties: JsonObject, more: JsonObject = {}): readonly string[] => {
  const { errors = [] } = compile({ properties: { key: { type: 'string' }, ...properties }, ...more });
  return errors.map(({ code, pointer }) => `${code} ${pointer}`);
};

const modelOf = (modelSchema: JsonValue, drKeyProperties: readonly string[] = ['key']): CompiledModel => {
  const { model, errors } = compile(modelSchema, drKeyProperties);
  if (model === undefined) throw new Error(stringifyJson(errors));
  return model;
};

/** The property `a` as it is kept. */
const standardOf = (property: string): JsonValue => {
  const { modelSchema } = modelOf(parseJson(`{"properties":{"key":{"type":"string"},"a":${property}}}`));
  return (modelSchema['properties'] as JsonObject)['a'] ?? null;
};

const at = (rest: string): string => `/modelSchema/properties/${rest}`;

describe('a model schema', () => {
  it('keeps its standard form unchanged', () => {
    const schema = parseJson(`{
      "$id": "urn:x", "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "description": "D",
      "type": "object",
      "properties": {
        "key": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^x", "format": "email", "title": "t"},
        "whole": {"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807, "enum": [1, 9223372036854775807], "default": 1},
        "part": {"type": "number", "minimum": 0.5, "maximum": 1.5, "enum": [1, 1.5]},
        "flag": {"type": "boolean", "default": false, "description": "d"},
        "list": {"type": "array", "minItems": 0, "maxItems": 3, "items": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}},
        "links": {"type": "array", "items": {"$ref": "/domains/other:v2"}},
        "inner": {"type": "object", "properties": {"y": {"type": "number"}}},
        "link": {"$ref": "/domains/o-ther:v12/name", "query": "id:\${key}", "multivalued": true, "sort": "-name", "limit": 0, "description": "d"}
      },
      "propertyGroups": [["whole", "part"]],
      "required": ["key", "whole"]
    }`);
    expect(stringifyJson(modelOf(schema).modelSchema)).toBe(stringifyJson(schema));
  });

  it.each([
    ['{"type":"int"}', { type: 'integer' }],
    [
      '{"type":"long","min":-1,"max":9223372036854775807}',
      { type: 'integer', minimum: -1, maximum: 9223372036854775807n },
    ],
    ['{"type":"uri"}', { type: 'string', format: 'uri' }],
    ['{"type":"URI","format":"uri"}', { type: 'string', format: 'uri' }],
    ['{"type":"string","min":1,"max":2}', { type: 'string', minLength: 1, maxLength: 2 }],
    ['{"type":"number","min":0.5}', { type: 'number', minimum: 0.5 }],
    ['{"type":"enum","enumType":"string","data":["x"],"default":"x"}', { type: 'string', enum: ['x'], default: 'x' }],
    ['{"type":"enum","enumType":"int","data":[1,2]}', { type: 'integer', enum: [1, 2] }],
    ['{"type":"enum","data":["x"]}', { type: 'string', enum: ['x'] }],
    [
      '{"properties":{"x":{"type":"int","required":true}}}',
      { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
    ],
  ])('normalises %s', (posted, standard) => {
    expect(standardOf(posted)).toEqual(standard);
  });

  it.each([
    ['{"type":"integer","minimum":-1e18,"maximum":1e18}', 1e18],
    ['{"type":"string","maxLength":9223372036854775807}', 'x'],
    ['{"type":"number","maximum":18446744073709551616}', 18446744073709551616n],
  ])('takes wide bounds: %s', (property, value) => {
    const model = modelOf(parseJson(`{"properties":{"key":{"type":"string"},"a":${property}}}`));
    expect(model.validate({ key: 'k', a: value }).valid).toBe(true);
  });

  it('is the one of the reference page', () => {
    const page = new URL('../../../../docs/reference/model-schema.md', import.meta.url);
    const [, example = ''] = /```json\n([^]*?)```/.exec(readFileSync(page, 'utf8')) ?? [];
    const model = modelOf(parseJson(example), ['number']);
    expect(model.properties.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'number integer',
      'name string',
      'born string',
      'grade string',
      'address object',
      'phones array',
      'department reference',
      'reports reference',
    ]);
  });

  it('is read again as it is kept', () => {
    const { modelSchema, drKeyProperties } = modelOf({
      properties: {
        KEY: { type: 'enum', data: ['a'], default: 'a' },
        l: { type: 'array', required: true, items: { properties: { x: { type: 'URI', min: 3, required: true } } } },
        o: { type: 'object', properties: { x: { type: 'long' } }, required: [] },
      },
      required: ['key', 'o'],
    });
    expect(modelOf(modelSchema, drKeyProperties).modelSchema).toEqual(modelSchema);
  });

  it('gathers every way to require a property into one list', () => {
    const { modelSchema, properties } = modelOf({
      properties: {
        key: { type: 'string' },
        a: { type: 'string', required: true },
        B: { type: 'array', required: true, items: { type: 'object', properties: { x: { type: 'string' } } } },
        c: { type: 'string', default: '' },
        d: { type: 'string', required: false },
      },
      required: ['KEY', 'b'],
    });
    expect(modelSchema['required']).toEqual(['key', 'a', 'B']);
    expect(properties.map(({ name, required }) => [name, required])).toEqual([
      ['key', true],
      ['a', true],
      ['B', true],
      ['c', true],
      ['d', false],
    ]);
  });

  it('collapses a name given twice into the first spelling', () => {
    const model = modelOf({ properties: { key: { type: 'string' }, KEY: { type: 'string', maxLength: 1 } } }, ['Key']);
    expect(model.modelSchema).toEqual({ properties: { key: { type: 'string' } } });
    expect(model.drKeyProperties).toEqual(['key']);
  });

  it('describes its properties', () => {
    const { properties, propertyGroups } = modelOf({
      properties: {
        key: { type: 'string', format: 'uuid', description: 'd' },
        o: { type: 'object', properties: { l: { type: 'array', items: { $ref: '/domains/xx:v1' } } } },
      },
      propertyGroups: [['KEY', 'o']],
    });
    expect(propertyGroups).toEqual([['key', 'o']]);
    expect(properties).toEqual([
      { name: 'key', path: 'key', required: false, description: 'd', type: 'string', format: 'uuid', drKey: true },
      {
        name: 'o',
        path: 'o',
        required: false,
        type: 'object',
        properties: [
          {
            name: 'l',
            path: 'o.l',
            required: false,
            type: 'array',
            items: { reference: { domain: 'xx', version: 1, multivalued: false } },
          },
        ],
      },
    ]);
  });
});

describe('the faults of a model schema', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'no keyword of the kind',
      { a: { type: 'string', foo: 1, minimum: 1 } },
      [`UNKNOWN_KEYWORD ${at('a/foo')}`, `UNKNOWN_KEYWORD ${at('a/minimum')}`],
    ],
    ['a keyword of another type', { a: { type: 'integer', minLength: 1 } }, [`UNKNOWN_KEYWORD ${at('a/minLength')}`]],
    ['min on a boolean', { a: { type: 'boolean', min: 1 } }, [`UNKNOWN_KEYWORD ${at('a/min')}`]],
    [
      'two spellings at odds',
      { a: { type: 'string', min: 1, minLength: 2 } },
      [`CONFLICTING_KEYWORDS ${at('a/minLength')}`],
    ],
    ['no type', { a: { title: 'x' } }, [`TYPE_REQUIRED ${at('a')}`]],
    ['an unknown type', { a: { type: 'text' } }, [`UNKNOWN_TYPE ${at('a/type')}`]],
    ['a list of types', { a: { type: ['string', 'null'] } }, [`UNKNOWN_TYPE ${at('a/type')}`]],
    ['an unknown enumType', { a: { type: 'enum', enumType: 'x', data: [] } }, [`UNKNOWN_TYPE ${at('a/enumType')}`]],
    ...['boolean', 'object', 'array'].map((enumType): [string, JsonObject, readonly string[]] => [
      `an enum of ${enumType}`,
      { a: { type: 'enum', enumType, data: [true] } },
      [`UNKNOWN_TYPE ${at('a/enumType')}`],
    ]),
    ['an enum without data', { a: { type: 'enum' } }, [`ENUM_DATA_REQUIRED ${at('a')}`]],
    ['no object', { a: 'string' }, [`INVALID_TYPE ${at('a')}`]],
    ['an unknown format', { a: { type: 'string', format: 'phone' } }, [`UNKNOWN_FORMAT ${at('a/format')}`]],
    ['a look-ahead', { a: { type: 'string', pattern: '(?=x)' } }, [`INVALID_PATTERN ${at('a/pattern')}`]],
    ['a back-reference', { a: { type: 'string', pattern: '(a)\\1' } }, [`INVALID_PATTERN ${at('a/pattern')}`]],
    ['a broken pattern', { a: { type: 'string', pattern: '(' } }, [`INVALID_PATTERN ${at('a/pattern')}`]],
    [
      'a pattern with a large program',
      { a: { type: 'string', pattern: '(?:(?:a?b?){30}){30}' } },
      [`INVALID_PATTERN ${at('a/pattern')}`],
    ],
    [
      'an exploding pattern',
      { a: { type: 'string', pattern: '((a{100}){100}){100}' } },
      [`INVALID_PATTERN ${at('a/pattern')}`],
    ],
    ['bounds the wrong way round', { a: { type: 'string', min: 2, max: 1 } }, [`INCONSISTENT_BOUNDS ${at('a/min')}`]],
    [
      'a length that is not a length',
      { a: { type: 'string', minLength: -1, maxLength: 1.5 } },
      [`INVALID_TYPE ${at('a/minLength')}`, `INVALID_TYPE ${at('a/maxLength')}`],
    ],
    [
      'a bound beyond 64 bits',
      { a: { type: 'integer', maximum: 9223372036854775808n } },
      [`INVALID_TYPE ${at('a/maximum')}`],
    ],
    [
      'values of another type',
      { a: { type: 'integer', enum: [1, 'x', 1.5] } },
      [`INVALID_ENUM_VALUE ${at('a/enum/1')}`, `INVALID_ENUM_VALUE ${at('a/enum/2')}`],
    ],
    ['no values', { a: { type: 'string', enum: [] } }, [`INVALID_TYPE ${at('a/enum')}`]],
    ['a default of another type', { a: { type: 'integer', default: '1' } }, [`INVALID_DEFAULT ${at('a/default')}`]],
    [
      'a default outside the constraints',
      { a: { type: 'string', maxLength: 1, default: 'xy' } },
      [`INVALID_DEFAULT ${at('a/default')}`],
    ],
    [
      'a default outside the enum',
      { a: { type: 'string', enum: ['x'], default: 'y' } },
      [`INVALID_DEFAULT ${at('a/default')}`],
    ],
    ['a default of null', { a: { type: 'string', default: null } }, [`INVALID_DEFAULT ${at('a/default')}`]],
    ['an object without properties', { a: { type: 'object' } }, [`PROPERTIES_REQUIRED ${at('a/properties')}`]],
    ['an object with none', { a: { type: 'object', properties: {} } }, [`PROPERTIES_REQUIRED ${at('a/properties')}`]],
    [
      'an object that requires a stranger',
      { a: { type: 'object', properties: { x: { type: 'string' } }, required: ['y', 1] } },
      [`UNKNOWN_PROPERTY ${at('a/required/0')}`, `UNKNOWN_PROPERTY ${at('a/required/1')}`],
    ],
    ['an array without items', { a: { type: 'array' } }, [`ITEMS_REQUIRED ${at('a/items')}`]],
    [
      'an array of plain values',
      { a: { type: 'array', items: { type: 'string' } } },
      [`INVALID_ITEMS ${at('a/items')}`],
    ],
    [
      'an array of arrays',
      { a: { type: 'array', items: { type: 'array', items: { $ref: '/domains/xx:v1' } } } },
      [`INVALID_ITEMS ${at('a/items')}`],
    ],
    [
      'a fault within items',
      { a: { type: 'array', items: { type: 'object', properties: { x: { type: 'y' } } } } },
      [`UNKNOWN_TYPE ${at('a/items/properties/x/type')}`],
    ],
    ['a $ref of another shape', { a: { $ref: '/domains/xx' } }, [`INVALID_REFERENCE ${at('a/$ref')}`]],
    ['a $ref to version 0', { a: { $ref: '/domains/xx:v0' } }, [`INVALID_REFERENCE ${at('a/$ref')}`]],
    [
      'a typed, required $ref',
      { a: { $ref: '/domains/xx:v1', type: 'object', required: true } },
      [`UNKNOWN_KEYWORD ${at('a/type')}`, `UNKNOWN_KEYWORD ${at('a/required')}`],
    ],
    [
      'a $ref with wrong options',
      { a: { $ref: '/domains/xx:v1', multivalued: 'x', sort: 'a,b', limit: -1 } },
      [`INVALID_TYPE ${at('a/multivalued')}`, `INVALID_SORT ${at('a/sort')}`, `INVALID_TYPE ${at('a/limit')}`],
    ],
    [
      'a $ref linked by no DR Key',
      { a: { $ref: '/domains/xx:v1', query: 'x:${b} AND y:${KEY}' }, b: { type: 'string' } },
      [`NOT_A_DR_KEY ${at('a/query')}`],
    ],
    ...['x:(', 'x:${', 'x:', '"', 'x:[a TO'].map((query): [string, JsonObject, readonly string[]] => [
      `a $ref linked by ${query}`,
      { a: { $ref: '/domains/xx:v1', query } },
      [`INVALID_QUERY ${at('a/query')}`],
    ]),
    [
      'linking expressions without end',
      Object.fromEntries(
        Array.from({ length: 12 }, (_, index): [string, JsonValue] => [
          `r${index}`,
          { $ref: '/domains/xx:v1', query: `x:"${'y'.repeat(9_000)}"` },
        ]),
      ),
      [`TOO_LARGE ${at('r11/query')}`],
    ],
    [
      'names out of the rule',
      {
        '1a': { type: 'string' },
        'a b': { type: 'string' },
        ['a'.repeat(65)]: { type: 'string' },
        é: { type: 'string' },
      },
      [
        `INVALID_NAME ${at('1a')}`,
        `INVALID_NAME ${at('a b')}`,
        `INVALID_NAME ${at('a'.repeat(65))}`,
        `INVALID_NAME ${at('é')}`,
      ],
    ],
    [
      'reserved names',
      { _FDSx: { type: 'string' }, _DR: { type: 'string' }, o: { properties: { _dr: { type: 'string' } } } },
      [`RESERVED_NAME ${at('_FDSx')}`, `RESERVED_NAME ${at('_DR')}`, `RESERVED_NAME ${at('o/properties/_dr')}`],
    ],
    [
      'a name twice with two types',
      { a: { type: 'string' }, A: { type: 'integer' } },
      [`CONFLICTING_PROPERTIES ${at('A')}`],
    ],
    [
      'a reference twice with two targets',
      { a: { $ref: '/domains/xx:v1' }, A: { $ref: '/domains/xx:v2' } },
      [`CONFLICTING_PROPERTIES ${at('A')}`],
    ],
    [
      'a name twice as text and as a date',
      { a: { type: 'string' }, A: { type: 'string', format: 'date' } },
      [`CONFLICTING_PROPERTIES ${at('A')}`],
    ],
    ['two names alike in GraphQL', { 'a-b': { type: 'string' }, a_b: { type: 'string' } }, [`NAME_CLASH ${at('a_b')}`]],
    [
      'two objects alike in GraphQL',
      {
        a__b: { properties: { x: { type: 'string' } } },
        a: { properties: { b: { properties: { x: { type: 'string' } } } } },
      },
      [`NAME_CLASH ${at('a/properties/b')}`],
    ],
    [
      'text that cannot be stored',
      { a: { type: 'string', description: 'x\0' } },
      [`INVALID_CHARACTER ${at('a/description')}`],
    ],
    [
      'a slash and a tilde in a name',
      { 'a/b~': { type: 'x' } },
      [`INVALID_NAME ${at('a~1b~0')}`, `UNKNOWN_TYPE ${at('a~1b~0/type')}`],
    ],
  ])('name %s', (_case, properties, faults) => {
    expect(faultsOf(properties)).toEqual(faults);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a stranger', { additionalProperties: false }, ['UNKNOWN_KEYWORD /modelSchema/additionalProperties']],
    ['another type', { type: 'array' }, ['UNKNOWN_TYPE /modelSchema/type']],
    [
      'a title that is not text',
      { title: 1, $id: null },
      ['INVALID_TYPE /modelSchema/title', 'INVALID_TYPE /modelSchema/$id'],
    ],
    ['an unknown required property', { required: ['zz'] }, ['UNKNOWN_PROPERTY /modelSchema/required/0']],
    ['a required flag', { required: true }, ['INVALID_TYPE /modelSchema/required']],
    [
      'groups of strangers',
      { propertyGroups: [['zz'], ['key', 'KEY'], []] },
      [
        'UNKNOWN_PROPERTY /modelSchema/propertyGroups/0/0',
        'DUPLICATE_PROPERTY /modelSchema/propertyGroups/1/1',
        'INVALID_TYPE /modelSchema/propertyGroups/2',
      ],
    ],
  ])('name %s at the top', (_case, more, faults) => {
    expect(faultsOf({}, more)).toEqual(faults);
  });

  it('require a cross-reference by no list', () => {
    expect(faultsOf({ a: { $ref: '/domains/xx:v1' } }, { required: ['a'] })).toEqual([`REFERENCE_REQUIRED ${at('a')}`]);
  });

  it.each([[null], ['x'], [[]], [{}], [{ properties: [] }]])('name a schema that is %j', (schema) => {
    expect(compile(schema).errors).not.toHaveLength(0);
  });

  it('name every wrong DR Key property', () => {
    const properties = {
      key: { type: 'string' },
      o: { properties: { x: { type: 'string' } } },
      r: { $ref: '/domains/xx:v1' },
    };
    const { errors } = compile({ properties }, ['key', 'o', 'x', 'KEY', 'r', '__proto__']);
    expect(errors?.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'INVALID_TYPE /drKeyProperties/1',
      'UNKNOWN_PROPERTY /drKeyProperties/2',
      'DUPLICATE_PROPERTY /drKeyProperties/3',
      'INVALID_TYPE /drKeyProperties/4',
      'UNKNOWN_PROPERTY /drKeyProperties/5',
    ]);
    expect(compile({ properties }, []).errors?.[0]).toMatchObject({ code: 'REQUIRED', pointer: '/drKeyProperties' });
  });

  it('hold nesting and size to their limits', () => {
    const nest = (levels: number): JsonObject =>
      levels === 1 ? { x: { type: 'string' } } : { x: { type: 'object', properties: nest(levels - 1) } };
    expect(faultsOf(nest(32))).toEqual([]);
    expect(faultsOf(nest(33))).toEqual([`TOO_DEEP ${at(`x${'/properties/x'.repeat(31)}/properties`)}`]);
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(faultsOf(many(999))).toEqual([]);
    expect(faultsOf({ o: { type: 'object', properties: many(999) } })).toEqual([
      `TOO_MANY_PROPERTIES ${at('o/properties')}`,
    ]);
  });
});
