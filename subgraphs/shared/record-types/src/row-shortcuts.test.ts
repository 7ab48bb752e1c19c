import { describe, expect, it } from '@jest/globals';
import type { RequestContext } from '@fds/graphql';
import fc from 'fast-check';
import {
  GraphQLFloat,
  type GraphQLScalarType,
  buildSchema,
  execute,
  parse,
  validate,
  type GraphQLSchema,
} from 'graphql';
import { compileModelSchema } from '@fds/model-schema';
import { describeRecordType } from './describe-record-type.js';
import { createRecordTypeRegistry } from './record-type-registry.js';
import { readOwnProperty } from './record-type-resolvers.js';
import { UnusualValue } from './row-writer.js';

const staticSchema = buildSchema(`
  scalar Long scalar Json scalar Uuid scalar DateTime
  type Page { page: Int! size: Int! totalPages: Int! totalElements: Int! }
  type RecordMetadata { uuid: ID! }
  type Query { health: String }
`);
const long = staticSchema.getType('Long') as GraphQLScalarType;
long.serialize = (value) => {
  if (!Number.isSafeInteger(value)) throw new TypeError('Long must be a 64-bit signed integer');
  return value;
};

const properties = {
  id: { type: 'integer' },
  name: { type: 'string' },
  ratio: { type: 'number' },
  on: { type: 'boolean' },
  mood: { type: 'string', enum: ['HAPPY', 'sad'] },
  at: { type: 'string', format: 'date-time' },
  place: {
    type: 'object',
    properties: { city: { type: 'string' }, geo: { type: 'object', properties: { x: { type: 'number' } } } },
  },
  tags: { type: 'array', items: { type: 'object', properties: { label: { type: 'string' } } } },
  friend: { $ref: '/domains/people:v1' },
} as const;

const define = (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE', domainName = 'people') => {
  const { model, errors } = compileModelSchema({ modelSchema: { properties }, drKeyProperties: ['id'] });
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return describeRecordType({
    domainName,
    domainUuid: 'd',
    domainVersionUuid: 'v',
    versionNumber: 1,
    domainType,
    model,
  });
};

const registryOf = (rows: () => readonly unknown[], more: object = {}) => {
  const registry = createRecordTypeRegistry({
    staticSchema,
    resolvers: {
      page: () => () => ({
        data: async () => rows(),
        page: { page: 0, size: 50, totalPages: 1, totalElements: 2 },
        ...more,
      }),
      metadata: () => () => ({ uuid: 'u' }),
      property: (_definition, { propertyName }) => readOwnProperty(propertyName),
      reference: () => () => null,
      change: () => () => null,
    },
  });
  registry.put(define('SERVICE_DATA_STORE'));
  return registry;
};

const context = {} as RequestContext;
const plain = `query ($size: Int) { p: dr_people_1(size: $size) {
  data { key: id name ratio on mood at place { city geo { x } } tags { label __typename } __typename } page { totalElements } } health }`;

describe('written rows', () => {
  const jsonOf = (schema: GraphQLSchema, source: string) =>
    execute({ schema, document: parse(source), contextValue: context });

  it.each([
    ['scalars and nested objects', plain, true],
    ['a fragment', '{ dr_people_1 { data { ...f } } } fragment f on dr_people_1 { name }', false],
    ['a fragment in a page', '{ dr_people_1 { ... on dr_people_1_page { data { name } } } }', false],
    ['a directive', '{ dr_people_1 { data { name @skip(if: true) } } }', false],
    ['metadata', '{ dr_people_1 { data { name _dr { uuid } } } }', false],
    ['a cross-reference', '{ dr_people_1 { data { friend { name } } } }', false],
    ['a field twice', '{ dr_people_1 { data { place { city } place { geo { x } } } } }', false],
    ['a page twice', '{ dr_people_1 { data { name } } dr_people_1 { data { id } } }', false],
    ['a prototype', '{ dr_people_1 { data { __proto__: name } } }', false],
    ['no rows', '{ dr_people_1 { page { size } } }', false],
    ['nothing of records', '{ health }', false],
  ])('are there for %s: %#', (_, source, there) => {
    const registry = registryOf(() => []);
    const document = parse(source);
    expect(validate(registry.schemaFor(document), document)).toEqual([]);
    expect(registry.shortcutFor(document) !== undefined).toBe(there);
  });

  it('are not there for federated records, whose adaptors would be asked twice', () => {
    const registry = registryOf(() => []);
    registry.put(define('FEDERATED'));
    const document = parse('{ dr_people_1 { data { name } } }');
    registry.schemaFor(document);
    expect(registry.shortcutFor(document)).toBeUndefined();
  });

  it('stay while nothing in them changes', () => {
    const registry = registryOf(() => []);
    const document = parse(plain);
    registry.schemaFor(document);
    const before = registry.shortcutFor(document);
    registry.put(define('SERVICE_DATA_STORE', 'other'));
    registry.schemaFor(document);
    expect(registry.shortcutFor(document)).toBe(before);
    registry.put({ ...define('SERVICE_DATA_STORE'), domainVersionUuid: 'w' });
    registry.schemaFor(document);
    expect(registry.shortcutFor(document)).not.toBe(before);
  });

  it('are what graphql-js answers, or fail as a whole', async () => {
    const odd = fc.constantFrom<unknown>(null, undefined, 1.5, 'text', true, [], {}, { label: 1 }, 2 ** 60);
    const mostly = (usual: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: odd });
    const tag = fc.oneof(fc.record({ label: mostly(fc.string()) }), fc.constant(null));
    const row = fc.record(
      {
        id: mostly(fc.maxSafeInteger()),
        name: mostly(fc.string()),
        ratio: mostly(fc.double({ noNaN: true, noDefaultInfinity: true })),
        on: mostly(fc.boolean()),
        mood: mostly(fc.constantFrom('HAPPY', 'sad')),
        at: mostly(fc.constant('2026-01-02T03:04:05Z')),
        place: mostly(
          fc.record({
            city: mostly(fc.string()),
            geo: fc.option(fc.record({ x: mostly(fc.double({ noNaN: true })) })),
          }),
        ),
        tags: mostly(fc.array(tag)),
      },
      { requiredKeys: [] },
    );
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 4 }), async (rows) => {
        const registry = registryOf(() => rows);
        const document = parse(plain);
        const schema = registry.schemaFor(document);
        const shortcut = registry.shortcutFor(document);
        if (shortcut === undefined) throw new Error('there is no shortcut');
        const usual = await jsonOf(schema, plain);
        const written = await execute({ schema: shortcut, document, contextValue: context });
        if (written.errors?.some(({ originalError }) => originalError instanceof UnusualValue)) {
          failed += 1;
        } else expect(JSON.stringify(written)).toBe(JSON.stringify(usual));
      }),
      { numRuns: 300 },
    );
    expect(failed).toBeGreaterThan(5);
    expect(failed).toBeLessThan(250);
  });

  it('are read from the properties of a page that has them', async () => {
    const registry = registryOf(() => [{ name: 'of data' }], { properties: async () => [{ name: 'of properties' }] });
    const namesOf = async (source: string): Promise<unknown> => {
      const document = parse(source);
      const schema = registry.schemaFor(document);
      return execute({ schema: registry.shortcutFor(document) ?? schema, document, contextValue: context });
    };
    const properties = { dr_people_1: { data: [{ name: 'of properties' }] } };
    expect(await namesOf('{ dr_people_1 { data { name } } }')).toEqual({ data: properties });
    const rows = { dr_people_1: { data: [{ name: 'of data', _dr: { uuid: 'u' } }] } };
    expect(await namesOf('{ dr_people_1 { data { name _dr { uuid } } } }')).toEqual({ data: rows });
  });

  it('answer a value that is not listed with null and an error at its field', async () => {
    const registry = registryOf(() => [{ mood: 'sad' }, { mood: 'gone' }]);
    const source = '{ dr_people_1 { data { mood } } }';
    const document = parse(source);
    const schema = registry.schemaFor(document);
    const { data, errors } = await jsonOf(schema, source);
    expect(data).toEqual({ dr_people_1: { data: [{ mood: 'sad' }, { mood: null }] } });
    expect(errors).toMatchObject([
      { path: ['dr_people_1', 'data', 1, 'mood'], originalError: { code: 'VALUE_NOT_IN_ENUM' } },
    ]);
    const shortcut = registry.shortcutFor(document);
    const written = shortcut && (await execute({ schema: shortcut, document, contextValue: context }));
    expect(written?.errors?.[0]?.originalError).toBeInstanceOf(UnusualValue);
  });

  it('widen Float as the types do', async () => {
    const registry = registryOf(() => [{ ratio: 10n ** 20n }]);
    const document = parse('{ dr_people_1 { data { ratio } } }');
    registry.schemaFor(document);
    const schema = registry.shortcutFor(document);
    expect(schema && (await execute({ schema, document, contextValue: context }))).toMatchObject({
      data: { dr_people_1: { data: [{ ratio: GraphQLFloat.serialize(1e20) }] } },
    });
  });
});
