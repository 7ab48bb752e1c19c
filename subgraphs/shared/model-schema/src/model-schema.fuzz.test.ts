import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import fc from 'fast-check';
import { compileModelSchema, type ModelSchemaCompilation } from './compile-model-schema.js';
import { formatNames } from './record/string-formats.js';

const numRuns = 2_000;

/** Names that meet rules and their edges, and every object of JavaScript's own. */
const name = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('key', 'Key', 'a', 'A', 'b-c', 'b_c', '_x', 'o') },
  fc.constantFrom('_dr', '_fds1', '', 'é', 'a/b~c'),
  { weight: 6, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty') },
  fc.string({ maxLength: 70 }),
);

const number = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
  fc.double(),
  fc.constantFrom(2 ** 53, 1e18, 9223372036854775807n, -9223372036854775808n, 9223372036854775808n, -0),
);

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  number,
  fc.string({ maxLength: 12 }),
  fc.constantFrom('2024-02-29', 'a@b.c', '::1', '\0', '\ud800', '^a+$', '(', '/domains/xx:v1', '${key}', '${'),
  fc.boolean(),
  fc.constant(null),
);

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const objectOf = (entries: readonly (readonly [string, JsonValue])[]): JsonObject => Object.fromEntries(entries);

/** A keyword with a value that may fit it. */
const keyword = fc.oneof(
  fc.tuple(
    fc.constantFrom('minLength', 'maxLength', 'min', 'max', 'minimum', 'maximum', 'minItems', 'maxItems', 'limit'),
    fc.oneof({ weight: 3, arbitrary: number }, json),
  ),
  fc.tuple(fc.constant('format'), fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...formatNames) }, json)),
  fc.tuple(fc.constantFrom('pattern', 'query', 'sort', 'title', 'description', 'enumType', 'foo'), json),
  fc.tuple(fc.constantFrom('enum', 'data'), fc.oneof(fc.array(scalar, { maxLength: 4 }), json)),
  fc.tuple(fc.constantFrom('default', 'items', 'properties', 'multivalued', '__proto__'), json),
  fc.tuple(fc.constant('required'), fc.oneof(fc.boolean(), fc.array(name, { maxLength: 3 }), json)),
  fc.tuple(fc.constant('$ref'), fc.oneof(fc.constantFrom('/domains/xx:v1', '/domains/xx:v2/name'), json)),
);

const bound = fc.integer({ min: 0, max: 4 });
const optional = { requiredKeys: [] };

/** A scalar or a reference as one would write it, in all spellings. */
const plain: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('string', 'string', 'uri'),
      min: fc.constantFrom(0, 1),
      maxLength: fc.constantFrom(3, 10n ** 18n),
      pattern: fc.constantFrom('a|b', '^\\S*$'),
      required: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom(...formatNames) }),
  fc.record({ type: fc.constantFrom('int', 'long', 'integer', 'number'), min: bound, maximum: fc.constant(1e18) }),
  fc.record({ type: fc.constantFrom('int', 'number'), default: bound }),
  fc.record(
    { type: fc.constant('boolean'), default: fc.boolean(), required: fc.boolean() },
    { requiredKeys: ['type'] },
  ),
  fc.constantFrom({ type: 'enum', data: ['a', 'b'] }, { type: 'enum', enumType: 'int', data: [1, 2 ** 60, -0] }),
  fc
    .record(
      { query: fc.constant('x:${key}'), multivalued: fc.boolean(), sort: fc.constant('-x'), limit: bound },
      optional,
    )
    .map((keywords) => ({ $ref: '/domains/xx:v1', ...keywords })),
);

const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'int', 'long', 'uri', 'URI', 'enum', 'array');

const { properties } = fc.letrec<{ node: JsonValue; properties: JsonObject }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    { weight: 8, arbitrary: plain },
    fc
      .tuple(type, fc.array(keyword, { maxLength: 3 }))
      .map(([kind, keywords]) => objectOf([['type', kind], ...keywords])),
    fc.array(keyword, { maxLength: 3 }).map((keywords) => objectOf([['$ref', '/domains/xx:v1'], ...keywords])),
    fc
      .tuple(tie('properties'), fc.array(keyword, { maxLength: 1 }))
      .map(([nested, keywords]) => objectOf([['properties', nested], ...keywords])),
    { weight: 4, arbitrary: tie('properties').map((nested) => ({ type: 'array', items: { properties: nested } })) },
    { weight: 1, arbitrary: json },
  ),
  properties: fc
    .array(fc.tuple(name, tie('node')), { minLength: 1, maxLength: 4 })
    .map((entries): JsonObject => objectOf(entries)),
}));

const schema: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ properties, required: fc.array(name, { maxLength: 2 }) }) },
  { weight: 8, arbitrary: properties.map((own) => ({ properties: { ...own, key: { type: 'string' } } })) },
  {
    weight: 1,
    arbitrary: fc.tuple(properties, fc.array(fc.tuple(name, json), { maxLength: 2 })).map(([own, rest]) => ({
      ...objectOf(rest),
      properties: own,
      propertyGroups: [['key']],
    })),
  },
  json,
);

const drKeyProperties = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(['key'], ['KEY']) },
  fc.array(name, { maxLength: 3 }),
);

/** Data that resembles what a model of these schemas takes. */
const record = fc.dictionary(name, fc.oneof(scalar, json), { maxKeys: 4, noNullPrototype: true });

/** Processor time of this process in milliseconds: other load of the machine does not count. */
const processorMs = (): number => process.cpuUsage().user / 1000;

const slowest = { compileMs: 0, validateMs: 0 };

const timed = <Result>(kind: keyof typeof slowest, work: () => Result): Result => {
  const start = processorMs();
  const result = work();
  slowest[kind] = Math.max(slowest[kind], processorMs() - start);
  return result;
};

const compile = (modelSchema: JsonValue, keys: readonly string[]): ModelSchemaCompilation =>
  timed('compileMs', () => compileModelSchema({ modelSchema, drKeyProperties: keys }));

describe('whatever is posted', () => {
  const prototype = Object.getOwnPropertyNames(Object.prototype);
  const arrayPrototype = Object.getOwnPropertyNames(Array.prototype);
  let compiled = 0;
  let valid = 0;

  beforeAll(() => {
    fc.configureGlobal({ numRuns });
  });
  afterAll(() => fc.resetConfigureGlobal());

  it('a model schema gives a model or diagnostics, and a model is read again as it is kept', () => {
    fc.assert(
      fc.property(schema, drKeyProperties, (posted, keys) => {
        const { model, errors } = compile(posted, keys);
        if (model === undefined) {
          expect(errors.length).toBeGreaterThan(0);
          for (const { pointer, code, detail } of errors) {
            expect(pointer).toMatch(/^\/(?:modelSchema|drKeyProperties)(?:\/|$)/);
            expect(code).toMatch(/^[A-Z_]+$/);
            expect(detail).not.toBe('');
          }
          return;
        }
        compiled += 1;
        const kept = parseJson(stringifyJson(model.modelSchema));
        const again = compile(kept, model.drKeyProperties);
        expect(again.errors).toBeUndefined();
        expect(stringifyJson(again.model?.modelSchema)).toBe(stringifyJson(kept));
      }),
    );
    expect(compiled).toBeGreaterThan(numRuns / 10);
  });

  it('a record is kept or has diagnostics, and a kept record is valid again unchanged', () => {
    fc.assert(
      fc.property(properties, fc.array(record, { minLength: 1, maxLength: 5 }), (own, records) => {
        const modelSchema = { properties: { ...own, key: { type: 'string', default: 'k' } } };
        const { model } = compile(modelSchema, ['key']);
        if (model === undefined) return;
        for (const posted of records) {
          const before = stringifyJson(posted);
          const validation = timed('validateMs', () => model.validate(posted));
          expect(stringifyJson(posted)).toBe(before);
          timed('validateMs', () => model.validateDrKey(posted));
          if (!validation.valid) {
            expect(validation.errors.length).toBeGreaterThan(0);
            continue;
          }
          valid += 1;
          const kept = parseJson(stringifyJson(validation.record)) as JsonObject;
          const again = model.validate(kept);
          expect(again.valid ? stringifyJson(again.record) : again.errors).toEqual(stringifyJson(kept));
          expect(model.keyDigest(model.drKeyOf(kept))).toMatch(/^[0-9a-f]{64}$/);
        }
      }),
    );
    expect(valid).toBeGreaterThan(numRuns / 20);
  });

  it('nothing took a second, and no object of JavaScript has changed', () => {
    expect(slowest.compileMs).toBeLessThan(1000);
    expect(slowest.validateMs).toBeLessThan(1000);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
    expect(Object.getOwnPropertyNames(Array.prototype)).toEqual(arrayPrototype);
  });
});

describe('a hostile model schema of a megabyte', () => {
  const megabyte = 1_000_000;
  const filled = (one: string): string => one.repeat(Math.floor(megabyte / one.length));
  const nested = (open: string, close: string, levels: number, core: string): string =>
    open.repeat(levels) + core + close.repeat(levels);

  it.each<[string, string]>([
    ['unclosed parent fields', `{"a":{"$ref":"/domains/xx:v1","query":"${filled('${')}"}}`],
    ['parent fields', `{"a":{"$ref":"/domains/xx:v1","query":"${filled('${a}')}"}}`],
    [
      'a hundred long queries',
      `{${Array.from({ length: 100 }, (_, i) => `"a${i}":{"$ref":"/domains/xx:v1","query":"${'('.repeat(9_000)}"}`).join()}}`,
    ],
    [
      'a hundred queries of many terms',
      `{${Array.from({ length: 100 }, (_, i) => `"a${i}":{"$ref":"/domains/xx:v1","query":"${'a:b~ OR '.repeat(1_200)}a:b"}`).join()}}`,
    ],
    ['one long name', `{"${filled('a')}":{"type":"string"}}`],
    ['a long $ref', `{"a":{"$ref":"/domains/${filled('a-')}:v1"}}`],
    ['a long sort', `{"a":{"$ref":"/domains/xx:v1","sort":"${filled('-')}"}}`],
    ['a long pattern', `{"a":{"type":"string","pattern":"${filled('(a+)+')}"}}`],
    ['a pattern of a thousand characters', `{"a":{"type":"string","pattern":"${'(a*)*'.repeat(200)}"}}`],
    ['a pattern that multiplies', `{"a":{"type":"string","pattern":"${'('.repeat(300)}a${'{1,9}){1,9}'.repeat(60)}"}}`],
    ['many properties', `{${Array.from({ length: 40_000 }, (_, i) => `"p${i}":{"type":"int"}`).join()}}`],
    [
      'many unknown keywords',
      `{"a":{"type":"string",${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join()}}}`,
    ],
    ['many values', `{"a":{"type":"integer","enum":[${Array.from({ length: 150_000 }, (_, i) => i).join()}]}}`],
    ['many strange values', `{"a":{"type":"integer","enum":[${filled('"a",')}1]}}`],
    ['deep objects', nested('{"a":{"properties":', '}}', 499, '{}')],
    ['deep arrays', nested('{"a":{"type":"array","items":{"properties":', '}}}', 330, '{}')],
    ['a deep default', `{"a":{"type":"string","default":${nested('[', ']', 900, '')}}}`],
    ['wide and deep', nested('{"b":{"type":"int"},"a":{"properties":', '}}', 31, '{"z":{"type":"int"}}')],
  ])('of %s is answered within a second', (_what, properties) => {
    const modelSchema = parseJson(`{"properties":${properties}}`);
    const start = processorMs();
    compileModelSchema({ modelSchema, drKeyProperties: ['a'] });
    expect(processorMs() - start).toBeLessThan(1000);
  });
});
