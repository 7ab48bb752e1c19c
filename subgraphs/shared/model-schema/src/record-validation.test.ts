import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema } from './compile-model-schema.js';
import type { CompiledModel } from './compiled-model.js';

const modelOf = (properties: JsonObject, drKeyProperties: readonly string[] = ['key']): CompiledModel => {
  const modelSchema = { properties: { key: { type: 'string', default: 'k' }, ...properties } };
  const { model, errors } = compileModelSchema({ modelSchema, drKeyProperties });
  if (model === undefined) throw new Error(stringifyJson(errors));
  return model;
};

/** The record as it is kept without its key, or `code pointer` of every fault. */
const hold = (model: CompiledModel, record: JsonObject): JsonValue => {
  const validation = model.validate(record);
  if (!validation.valid) return validation.errors.map(({ code, pointer }) => `${code} ${pointer}`);
  const { key: _key, ...rest } = validation.record;
  return rest;
};

describe('a value', () => {
  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['a string', { type: 'string' }, 1, 'INVALID_TYPE'],
    ['a string', { type: 'string' }, '', ''],
    ['a string', { type: 'string' }, 'a\0', 'INVALID_CHARACTER'],
    ['a string', { type: 'string' }, '\ud83d', 'INVALID_CHARACTER'],
    ['a string of 2 characters', { type: 'string', minLength: 2, maxLength: 2 }, '😀é', '😀é'],
    ['a string of 2 characters', { type: 'string', minLength: 2, maxLength: 2 }, '😀', 'TOO_SHORT'],
    ['a string of 2 characters', { type: 'string', minLength: 2, maxLength: 2 }, 'abc', 'TOO_LONG'],
    ['a pattern', { type: 'string', pattern: 'b+' }, 'abc', 'abc'],
    ['a pattern', { type: 'string', pattern: '^b' }, 'abc', 'PATTERN_MISMATCH'],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, 'B', 'NOT_IN_ENUM'],
    ['an enum with a value twice', { type: 'string', enum: ['a', 'a'] }, 'a', 'a'],
    ['an enum with a value twice', { type: 'string', enum: ['a', 'a'] }, 'b', 'NOT_IN_ENUM'],
    ['an integer', { type: 'integer' }, 9223372036854775807n, 9223372036854775807n],
    ['an integer', { type: 'integer' }, -9223372036854775808n, -9223372036854775808n],
    ['an integer', { type: 'integer' }, 9223372036854775808n, 'OUT_OF_RANGE'],
    ['an integer', { type: 'integer' }, -9223372036854775809n, 'OUT_OF_RANGE'],
    ['an integer', { type: 'integer' }, 1e30, 'OUT_OF_RANGE'],
    ['an integer', { type: 'integer' }, 1e18, 1000000000000000000n],
    ['an integer', { type: 'integer' }, 5n, 5],
    ['an integer', { type: 'integer' }, 1.5, 'INVALID_TYPE'],
    ['an integer', { type: 'integer' }, '1', 'INVALID_TYPE'],
    ['a bounded integer', { type: 'integer', maximum: 9223372036854775806n }, 9223372036854775807n, 'OUT_OF_RANGE'],
    [
      'a bounded integer',
      { type: 'integer', maximum: 9223372036854775806n },
      9223372036854775806n,
      9223372036854775806n,
    ],
    ['a bounded integer', { type: 'integer', minimum: 0 }, -1, 'OUT_OF_RANGE'],
    ['an integer enum', { type: 'integer', enum: [9223372036854775807n] }, 9223372036854775807n, 9223372036854775807n],
    ['an integer enum', { type: 'integer', enum: [9223372036854775807n] }, 9223372036854775806n, 'NOT_IN_ENUM'],
    ['a number', { type: 'number' }, 6.8500000000000005, 6.8500000000000005],
    ['a number', { type: 'number' }, 9007199254740994n, 9007199254740994],
    ['a number', { type: 'number' }, Number.POSITIVE_INFINITY, 'OUT_OF_RANGE'],
    ['a number', { type: 'number' }, true, 'INVALID_TYPE'],
    ['a bounded number', { type: 'number', minimum: 0.5, maximum: 1.5 }, 1.5, 1.5],
    ['a bounded number', { type: 'number', minimum: 0.5, maximum: 1.5 }, 1.6, 'OUT_OF_RANGE'],
    ['a boolean', { type: 'boolean' }, false, false],
    ['a boolean', { type: 'boolean' }, 'false', 'INVALID_TYPE'],
  ])('of %s: %j holds %p as %p', (_kind, property, posted, kept) => {
    const held = hold(modelOf({ a: property }), { a: posted });
    expect(held).toEqual(typeof kept === 'string' && kept !== posted ? [`${kept} /a`] : { a: kept });
  });

  it.each([
    ['date', '2024-02-29', '2023-02-29'],
    ['time', '23:59:60Z', '24:00:00Z'],
    ['date-time', '2024-02-29T10:00:00.123456+01:00', '2024-02-29'],
    ['email', 'a.b@example.org', 'a.b'],
    ['uri', 'https://example.org/a?b#c', '/a/b'],
    ['uuid', '0192f0c8-0000-7000-8000-000000000000', '0192f0c8'],
    ['ipv4', '192.168.0.1', '192.168.0.256'],
    ['ipv6', '2001:db8::1', '2001:db8:::1'],
  ])('with format %s is validated', (format, good, bad) => {
    const model = modelOf({ a: { type: 'string', format } });
    expect(hold(model, { a: good })).toEqual({ a: good });
    expect(model.validate({ a: bad })).toMatchObject({
      errors: [{ code: 'INVALID_FORMAT', pointer: '/a', detail: expect.stringMatching(new RegExp(`\\b${format}$`)) }],
    });
  });

  it.each([
    ['date-time', '2024-02-29 10:00:00Z'],
    ['date-time', '2024-02-29T10:00:00+01'],
    ['email', `${'a'.repeat(65)}@example.org`],
    ['email', 'a@-example.org'],
    ['email', 'a@example..org'],
    ['uri', 'http://user@host@other/'],
    ['uri', 'http://[v1.a/'],
    ['uuid', 'urn:uuid:0192f0c8-0000-7000-8000-000000000000'],
    ['ipv6', '1::2::3'],
    ['ipv6', '1:2:3:4:5:6:7::8'],
  ])('of format %s is not %s', (format, text) => {
    expect(hold(modelOf({ a: { type: 'string', format } }), { a: text })).toEqual(['INVALID_FORMAT /a']);
  });

  it.each(['date', 'time', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6'])(
    'of format %s costs little to refuse, however long',
    (format) => {
      const model = modelOf({ a: { type: 'string', format } });
      const long = ['a', '1:', '1.', 'a@', '%41', '::', '"\\\\', ' '].map((part) => part.repeat(500_000));
      const before = process.cpuUsage();
      for (const text of [...long, ...long.map((one) => `a@${one}`), ...long.map((one) => `http://${one}|`)]) {
        expect(hold(model, { a: text })).toEqual(['INVALID_FORMAT /a']);
      }
      // 24 texts of a megabyte and more: quadratic time would take hours. Microseconds of processor time do not grow
      // with the load of the machine.
      expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
    },
    20_000,
  );

  it.each([
    ['[\\s,]+', '\u00a0'],
    ['^[\\S]+$', 'ab'],
    ['^[[:alpha:]\\s]+$', 'a \u2003'],
    ['[\\b]', '\b'],
    ['\\bx', 'a x'],
    ['^\\p{Script=Greek}+$', 'π'],
    ['\\\\s', '\\s'],
    ['[]|[^]', 'a'],
    ['^\\P{Letter}$', '1'],
  ])('is tested against %s as ECMA-262 has it', (pattern, text) => {
    expect(hold(modelOf({ a: { type: 'string', pattern } }), { a: text })).toEqual({ a: text });
  });

  it.each([
    ['^[^\\s]+$', 'a\u00a0'],
    ['^[\\S]+$', 'a b'],
    ['\\P{Letter}', 'a'],
    ['\\bx', 'ax'],
  ])('is refused by %s as ECMA-262 has it', (pattern, text) => {
    expect(hold(modelOf({ a: { type: 'string', pattern } }), { a: text })).toEqual(['PATTERN_MISMATCH /a']);
  });

  it.each(['hostname', 'regex'])('with format %s is not validated', (format) => {
    expect(hold(modelOf({ a: { type: 'string', format } }), { a: '_(' })).toEqual({ a: '_(' });
  });

  it('cannot stall a pattern', () => {
    const model = modelOf({ a: { type: 'string', pattern: '^(a+)+$' } });
    expect(hold(model, { a: `${'a'.repeat(5000)}!` })).toEqual(['PATTERN_MISMATCH /a']);
    expect(hold(model, { a: 'a'.repeat(1_000_000) })).toEqual(['TOO_LONG /a']);
  });
});

describe('a record', () => {
  const model = modelOf({
    Name: { type: 'string', required: true },
    size: { type: 'integer', default: 3 },
    address: { type: 'object', properties: { Zip: { type: 'string' }, city: { type: 'string', default: 'Bern' } } },
    list: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'object', properties: { x: { type: 'integer', required: true } } },
    },
  });

  it('takes the names, the order and the defaults of the model, and is not changed itself', () => {
    const record = { LIST: [{ X: 1 }], ADDRESS: { zIP: null }, size: null, name: '' };
    expect(stringifyJson(model.validate(record))).toBe(
      '{"valid":true,"record":{"key":"k","Name":"","size":3,"address":{"Zip":null,"city":"Bern"},"list":[{"x":1}]}}',
    );
    expect(record).toEqual({ LIST: [{ X: 1 }], ADDRESS: { zIP: null }, size: null, name: '' });
  });

  it('keeps null where nothing is required, and does not invent objects', () => {
    expect(hold(model, { name: 'n', address: null })).toEqual({ Name: 'n', size: 3, address: null });
  });

  it.each<[JsonObject, readonly string[]]>([
    [{}, ['REQUIRED /Name']],
    [{ name: null }, ['REQUIRED /Name']],
    [{ name: 'x', nam: 1, 'a/b': 1 }, ['UNKNOWN_PROPERTY /nam', 'UNKNOWN_PROPERTY /a~1b']],
    [{ name: 'x', NAME: 'y' }, ['DUPLICATE_PROPERTY /NAME']],
    [{ name: 'x', address: [] }, ['INVALID_TYPE /address']],
    [
      { name: 'x', address: { zip: 1, street: 'y' } },
      ['UNKNOWN_PROPERTY /address/street', 'INVALID_TYPE /address/Zip'],
    ],
    [{ name: 'x', list: {} }, ['INVALID_TYPE /list']],
    [{ name: 'x', list: [] }, ['TOO_FEW_ITEMS /list']],
    [
      { name: 'x', list: [{ x: 1 }, { x: null }, null] },
      ['TOO_MANY_ITEMS /list', 'REQUIRED /list/1/x', 'INVALID_TYPE /list/2'],
    ],
  ])('%j has all its faults named', (record, faults) => {
    expect(hold(model, record)).toEqual(faults);
  });

  it('may have properties named like parts of every object', () => {
    const properties = parseJson(
      '{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"type":"string"}}',
    );
    const own = modelOf(properties as JsonObject, ['constructor']);
    const record = parseJson('{"__proto__":"p","CONSTRUCTOR":9223372036854775807}') as JsonObject;
    const validation = own.validate(record);
    expect(stringifyJson(validation)).toBe(
      '{"valid":true,"record":{"key":"k","__proto__":"p","constructor":9223372036854775807}}',
    );
    expect(own.drKeyOf({})).toEqual(parseJson('{"constructor":null}'));
    expect(({} as Record<string, unknown>)['p']).toBeUndefined();
    expect(hold(model, parseJson('{"Name":"x","__proto__":{"a":1}}') as JsonObject)).toEqual([
      'UNKNOWN_PROPERTY /__proto__',
    ]);
  });
});

describe('a reference', () => {
  const model = modelOf({
    one: { $ref: '/domains/Other:v2' },
    many: { $ref: '/domains/Other:v2', multivalued: true },
    list: { type: 'array', maxItems: 1, items: { $ref: '/domains/Other:v2' } },
  });
  const uuid = '/drs/0192f0c8-0000-7000-8000-000000000000';

  it.each<[JsonObject]>([
    [{ one: { $ref: uuid } }],
    [{ one: { $ref: '/domains/other:v2?id=7' } }],
    [{ one: 'x' }],
    [{ one: 9223372036854775807n }],
    [{ one: { first: 'a', second: 2, third: null } }],
    [{ one: null, many: [] }],
    [{ many: [{ $ref: uuid }, 'x'], list: ['y'] }],
  ])('takes the posted forms: %p', (record) => {
    expect(hold(model, record)).toEqual(record);
  });

  it('to many keeps a list', () => {
    expect(hold(model, { many: 'x' })).toEqual({ many: ['x'] });
  });

  it.each<[JsonObject, string]>([
    [{ one: ['x'] }, 'INVALID_REFERENCE /one'],
    [{ one: {} }, 'INVALID_REFERENCE /one'],
    [{ one: { a: {} } }, 'INVALID_REFERENCE /one'],
    [{ one: { $ref: '/drs/x' } }, 'INVALID_REFERENCE /one/$ref'],
    [{ one: { $ref: '/domains/Other:v1?id=7' } }, 'INVALID_REFERENCE /one/$ref'],
    [{ one: { $ref: uuid, id: 1 } }, 'INVALID_REFERENCE /one/$ref'],
    [{ many: ['x', null] }, 'INVALID_TYPE /many/1'],
    [{ list: ['x', 'y'] }, 'TOO_MANY_ITEMS /list'],
  ])('takes nothing else: %j', (record, fault) => {
    expect(hold(model, record)).toEqual([fault]);
  });
});

describe('a DR Key', () => {
  const model = modelOf(
    {
      no: { type: 'integer' },
      part: { type: 'number' },
      sure: { type: 'boolean', required: true },
      other: { type: 'string' },
    },
    ['part', 'NO', 'sure'],
  );

  it('is taken from the record in the order of its properties', () => {
    expect(stringifyJson(model.drKeyOf({ no: 1, sure: true, other: 'x' }))).toBe('{"part":null,"no":1,"sure":true}');
  });

  it('is validated on its own', () => {
    expect(stringifyJson(model.validateDrKey({ Sure: true, NO: 1n }))).toBe(
      '{"valid":true,"record":{"part":null,"no":1,"sure":true}}',
    );
    expect(model.validateDrKey({ other: 'x', no: 'x' })).toMatchObject({
      valid: false,
      errors: [
        { code: 'UNKNOWN_PROPERTY', pointer: '/other' },
        { code: 'INVALID_TYPE', pointer: '/no' },
        { code: 'REQUIRED', pointer: '/sure' },
      ],
    });
  });

  it('is reported as missing together with other faults', () => {
    const keyed = modelOf({ no: { type: 'integer' }, name: { type: 'string', minLength: 1 } }, ['no']);
    expect(hold(keyed, { name: '' })).toEqual(['TOO_SHORT /name', 'REQUIRED /no']);
    expect(hold(keyed, { no: 'x', name: '' })).toEqual(['INVALID_TYPE /no', 'TOO_SHORT /name']);
  });

  it('must have a value', () => {
    const loose = modelOf({ a: { type: 'string' }, b: { type: 'string' } }, ['a', 'b']);
    expect(hold(loose, { a: 'x' })).toEqual({ a: 'x' });
    expect(hold(loose, { a: null })).toEqual(['REQUIRED /a', 'REQUIRED /b']);
    expect(loose.validateDrKey({})).toMatchObject({ valid: false });
  });

  it.each<[JsonValue, JsonValue]>([
    [1, 1n],
    [0, -0],
    [9223372036854775807n, 9223372036854775807n],
    [1e21, 1000000000000000000000n],
  ])('with %p has the digest of one with %p', (one, other) => {
    expect(model.keyDigest({ no: one })).toEqual(model.keyDigest({ no: other }));
  });

  it.each<[JsonObject, JsonObject]>([
    [{ no: 1 }, { no: '1' }],
    [{ no: true }, { no: 'true' }],
    [{ no: null }, { no: 'null' }],
    [{ no: 'a' }, { no: 'A' }],
    [{ no: 'é' }, { no: 'e\u0301' }],
    [{ part: 1 }, { no: 1 }],
    [{ part: '1,2' }, { part: '1', no: 2 }],
    [{ no: 9223372036854775807n }, { no: 9223372036854775806n }],
    [{ no: 0.1 }, { no: 0.2 }],
  ])('%p has another digest than %p', (one, other) => {
    expect(model.keyDigest(one)).not.toEqual(model.keyDigest(other));
    expect(model.keyDigest(one)).toMatch(/^[0-9a-f]{64}$/);
  });
});
