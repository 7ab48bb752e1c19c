import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '@fds/model-schema';
import type { JsonValue } from '@fds/json';
import {
  type GraphQLInputObjectType,
  buildSchema,
  execute,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  parse,
  printSchema,
  validate,
  validateSchema,
} from 'graphql';
import { describeRecordType } from './describe-record-type.js';
import type { DomainType } from './record-type-definition.js';
import { createRecordTypeRegistry, type RecordTypeRegistry, type RecordTypeUse } from './record-type-registry.js';
import { readOwnProperty, type RecordTypeResolvers } from './record-type-resolvers.js';

const staticSdl = `
  scalar Long scalar Json scalar Uuid scalar DateTime
  type Page { page: Int! size: Int! totalPages: Int! totalElements: Int! }
  type RecordMetadata { uuid: ID! }
  type DataRecord { uuid: ID! json: Json }
  type DataRecordDeletion { drUuid: Uuid! }
  input RecordReferenceInput { uuid: Uuid ref: String drKey: Json }
`;
const staticSchema = buildSchema(`${staticSdl} type Query { health: String }`);

const define = (
  domainName: string,
  properties: { readonly [name: string]: JsonValue },
  { domainType = 'SERVICE_DATA_STORE', versionNumber = 1 }: { domainType?: DomainType; versionNumber?: number } = {},
) => {
  const drKeyProperties = Object.keys(properties).slice(0, 1);
  const { model, errors } = compileModelSchema({ modelSchema: { properties }, drKeyProperties });
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return describeRecordType({
    domainName,
    domainUuid: domainName,
    versionNumber,
    domainVersionUuid: `${domainName}-1`,
    domainType,
    model,
  });
};

const artist = define('artist', {
  id: { type: 'integer' },
  'full-name': { type: 'string', description: 'As on the "cover"\nof the record' },
  born: { type: 'string', format: 'date' },
  seen: { type: 'string', format: 'date-time' },
  rating: { type: 'number' },
  alive: { type: 'boolean' },
  mood: { type: 'string', enum: ['HAPPY', 'sad_2', 'HAPPY'] },
  address: {
    type: 'object',
    properties: { street: { type: 'string' }, 'geo-point': { type: 'object', properties: { x: { type: 'number' } } } },
  },
  aliases: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
});
const album = define(
  'al-bum',
  {
    id: { type: 'integer' },
    artist: { $ref: '/domains/artist:v1' },
    artistMood: { $ref: '/domains/artist:v1/MOOD' },
    artistName: { $ref: '/domains/Artist:v1/Full-Name' },
    artists: { $ref: '/domains/artist:v1', multivalued: true },
    genres: { type: 'array', items: { $ref: '/domains/genre:v1' } },
    sleeve: { type: 'object', properties: { designer: { $ref: '/domains/genre:v1' } } },
  },
  { domainType: 'FEDERATED' },
);
const genre = define('genre', { name: { type: 'string' }, albums: { $ref: '/domains/al-bum:v1', multivalued: true } });

const registryOf = (resolvers?: RecordTypeResolvers): RecordTypeRegistry =>
  createRecordTypeRegistry({ staticSchema, ...(resolvers && { resolvers }) });

const sdlOf = (registry: RecordTypeRegistry, names: readonly string[], use: RecordTypeUse): string => {
  const decoration = { type: '', enumValue: '', rootField: '' };
  const { types, queryFields, mutationFields } = registry.sdl(new Set(names), use, decoration);
  const mutation = mutationFields === '' ? '' : `type Mutation { ${mutationFields} }`;
  return printSchema(
    lexicographicSortSchema(
      buildSchema(`${staticSdl} type Query { health: String ${queryFields} } ${mutation} ${types}`),
    ),
  );
};

const typesOf = (registry: RecordTypeRegistry): string => printSchema(lexicographicSortSchema(registry.schema()));

describe('the types of a record', () => {
  it('follow the types of the properties', () => {
    const registry = registryOf();
    registry.put(artist);
    const fields = registry.schema().getType('dr_artist_1')?.toConfig();
    expect(
      fields &&
        'fields' in fields &&
        Object.entries(fields.fields).map(([name, { type }]) => `${name}: ${type.toString()}`),
    ).toEqual([
      '_dr: RecordMetadata',
      'id: Long',
      'full_name: String',
      'born: String',
      'seen: DateTime',
      'rating: Float',
      'alive: Boolean',
      'mood: dr_artist_1__mood',
      'address: dr_artist_1__address',
      'aliases: [dr_artist_1__aliases]',
    ]);
  });

  it.each([
    ['words', { type: 'string', enum: ['a', 'B_2', '_c'] }, 'dr_it_1__p'],
    ['words in the other spelling', { type: 'enum', data: ['a', 'b'] }, 'dr_it_1__p'],
    ['a word with a dash', { type: 'string', enum: ['a', 'in-work'] }, 'String'],
    ['a word that begins with a digit', { type: 'string', enum: ['1a'] }, 'String'],
    ['a blank word', { type: 'string', enum: ['a', ''] }, 'String'],
    ['a word that GraphQL keeps to itself', { type: 'string', enum: ['__a'] }, 'String'],
    ['a literal of GraphQL', { type: 'string', enum: ['yes', 'true'] }, 'String'],
    [
      'more words than a schema should hold',
      { type: 'string', enum: Array.from({ length: 1001 }, (_, n) => `w${n}`) },
      'String',
    ],
    ['times', { type: 'string', format: 'date-time', enum: ['2026-01-02T03:04:05Z'] }, 'DateTime'],
    ['integers', { type: 'integer', enum: [1, 2] }, 'Long'],
  ])('have an enum or a scalar for a list of %s', (_, property, typeName) => {
    const registry = registryOf();
    registry.put(define('it', { id: { type: 'integer' }, p: property }));
    const record = registry.schema().getType('dr_it_1');
    expect(isObjectType(record) && record.getFields()['p']?.type.toString()).toBe(typeName);
    expect(validateSchema(buildSchema(typesOf(registry)))).toEqual([]);
  });

  it('keep the String of a list whose enum would have the name of a nested object', () => {
    const values = { type: 'string', enum: ['a'] };
    const nested = { type: 'object', properties: { b: { type: 'object', properties: { c: values } }, b__c: values } };
    const { nestedTypes, enums } = define('it', { a__b: values, a: nested });
    expect(nestedTypes.map(({ typeName }) => typeName)).toEqual(['dr_it_1__a__b', 'dr_it_1__a']);
    expect(enums.map(({ typeName }) => typeName)).toEqual(['dr_it_1__a__b__c']);
  });

  it('take the arguments of their kind of domain', () => {
    const registry = registryOf();
    registry.put(artist);
    registry.put(album);
    const fields = registry.schema().getQueryType()?.getFields() ?? {};
    const argumentsOf = (name: string) => fields[name]?.args.map(({ name, type }) => `${name}: ${type.toString()}`);
    expect(argumentsOf('dr_artist_1')).toEqual(['page: Int', 'size: Int', 'query: String', 'sort: String']);
    expect(argumentsOf('dr_al_bum_1')).toEqual([
      'page: Int',
      'size: Int',
      'query: String',
      'sort: String',
      'zoneUuid: Uuid',
      'drUuids: [Uuid]',
      'additionalParameters: String',
    ]);
    expect(Object.keys(fields)).toContain('health');
  });

  it('are the same as SDL and as types, and valid', () => {
    const registry = registryOf();
    for (const definition of [artist, album, genre]) registry.put(definition);
    expect(sdlOf(registry, ['dr_artist_1', 'dr_al_bum_1', 'dr_genre_1'], 'CHANGE')).toBe(typesOf(registry));
    expect(validateSchema(buildSchema(typesOf(registry)))).toEqual([]);
  });

  it('have mutations with typed inputs, in documents that change something only', () => {
    const registry = registryOf();
    for (const definition of [artist, album]) registry.put(definition);
    const mutations = (text: string): readonly string[] => {
      const type = registry.schemaFor(parse(text)).getMutationType();
      return Object.values(type?.getFields() ?? {}).map(
        ({ name, args, type: answer }) =>
          `${name}(${args.map((each) => `${each.name}: ${String(each.type)}`).join(', ')}): ${String(answer)}`,
      );
    };
    expect(mutations('{ dr_artist_1 { data { id } } }')).toEqual([]);
    expect(
      mutations('mutation ($i: input_dr_artist_1!) { update_dr_artist_1(drUuid: "", input: $i) { uuid } }'),
    ).toEqual([
      'create_dr_artist_1(input: input_dr_artist_1!): DataRecord!',
      'update_dr_artist_1(drUuid: Uuid!, input: input_dr_artist_1!, changeVersion: Long): DataRecord!',
      'delete_dr_artist_1(drUuid: Uuid!, changeVersion: Long): DataRecordDeletion!',
    ]);
    // the data of a federated record is at its sources
    expect(mutations('mutation { create_dr_al_bum_1(input: {}) { uuid } }')).toEqual([
      'create_dr_al_bum_1(input: input_dr_al_bum_1!): DataRecord!',
      'delete_dr_al_bum_1(drUuid: Uuid!, adaptorUuids: [Uuid!], zoneUuid: Uuid, changeVersion: Long): DataRecordDeletion!',
    ]);
    const input = registry.schema().getType('input_dr_al_bum_1');
    expect(
      isInputObjectType(input) && Object.values(input.getFields()).map(({ name, type }) => `${name}: ${String(type)}`),
    ).toEqual([
      'id: Long',
      'artist: RecordReferenceInput',
      'artistMood: RecordReferenceInput',
      'artistName: RecordReferenceInput',
      'artists: [RecordReferenceInput]',
      'genres: [RecordReferenceInput]',
      'sleeve: input_dr_al_bum_1__sleeve',
    ]);
    const { mood, seen, aliases } = (
      registry.schema().getType('input_dr_artist_1') as GraphQLInputObjectType
    ).getFields();
    expect([mood, seen, aliases].map((field) => String(field?.type))).toEqual([
      'dr_artist_1__mood',
      'String',
      '[input_dr_artist_1__aliases]',
    ]);
  });

  it('leave out what leads to record types not asked for, as SDL and as types', () => {
    const registry = registryOf();
    for (const definition of [artist, album, genre]) registry.put(definition);
    for (const names of [['dr_al_bum_1'], ['dr_al_bum_1', 'dr_artist_1']]) {
      const types = printSchema(lexicographicSortSchema(registry.schemaOf(new Set(names), 'READ')));
      expect(sdlOf(registry, names, 'READ')).toBe(types);
      expect(types.includes('artistName')).toBe(names.length === 2);
      expect(types).not.toMatch(/genres|sleeve|dr_genre_1/);
    }
  });

  it('survive the journey as JSON', () => {
    const registry = registryOf();
    registry.put(JSON.parse(JSON.stringify(album)) as typeof album);
    expect(registry.find('dr_al_bum_1')).toEqual(album);
  });
});

describe('a registry', () => {
  it('shows a reference once its target is there, and no longer when it is gone', () => {
    const registry = registryOf();
    registry.put(album);
    const shows = (query: string) => validate(registry.schema(), parse(query)).length === 0;
    const toGenre = '{ dr_al_bum_1 { data { genres { name } sleeve { designer { name } } } } }';
    expect(shows(toGenre)).toBe(false);
    registry.put(genre);
    expect(shows(toGenre)).toBe(true);
    registry.remove('dr_genre_1');
    expect(shows(toGenre)).toBe(false);
    expect(shows('{ dr_genre_1 { data { name } } }')).toBe(false);
  });

  it('lets types follow a target that changed, through circles too', () => {
    const registry = registryOf();
    for (const definition of [artist, album, genre]) registry.put(definition);
    const before = registry.schema();
    registry.put(
      define('genre', { name: { type: 'string' }, mood: { type: 'string' }, albums: { $ref: '/domains/al-bum:v1' } }),
    );
    const query = parse('{ dr_al_bum_1 { data { genres { mood albums { genres { mood } } } } } }');
    expect(validate(registry.schema(), query)).toEqual([]);
    expect(validate(before, query)).not.toEqual([]);
    expect(validate(before, parse('{ dr_genre_1 { data { albums { id } } } }'))).toEqual([]);
  });

  it('keeps the part that a document asks for whatever else changes', () => {
    const registry = registryOf();
    registry.put(artist);
    registry.put(album);
    const document = parse('{ dr_al_bum_1 { data { id artistName } } }');
    const before = registry.schemaFor(document);
    expect(validate(before, document)).toEqual([]);
    expect(registry.schemaFor(parse('{ health }'))).toBe(staticSchema);
    registry.put(define('other', { id: { type: 'string' } }));
    registry.put(genre);
    expect(registry.schemaFor(document)).toBe(before);
    registry.put(define('artist', { id: { type: 'integer' }, 'full-name': { type: 'integer' } }));
    const after = registry.schemaFor(document);
    expect(after).not.toBe(before);
    expect(after.getType('dr_al_bum_1')?.toConfig()).toHaveProperty(['fields', 'artistName', 'type', 'name'], 'Long');
  });

  it('finds the record types of a document by fields, fragments and references', () => {
    const registry = registryOf();
    for (const definition of [artist, album, genre]) registry.put(definition);
    const touched = (source: string) => [...registry.touchedBy(parse(source))].sort();
    expect(touched('{ health }')).toEqual([]);
    expect(touched('{ dr_genre_1 { data { name } } }')).toEqual(['dr_genre_1']);
    expect(touched('{ dr_GENRE_1 { data { name } } }')).toEqual([]);
    expect(touched('{ dr_genre_1 { ...p } } fragment p on dr_genre_1_page { data { a: albums { id } } }')).toEqual([
      'dr_al_bum_1',
      'dr_genre_1',
    ]);
    expect(touched('{ dr_al_bum_1 { data { artistName sleeve { designer { name } } } } }')).toEqual([
      'dr_al_bum_1',
      'dr_artist_1',
      'dr_genre_1',
    ]);
    expect(touched('fragment f on dr_artist_1__address { street }')).toEqual(['dr_artist_1']);
  });

  it('keeps its schema when a definition comes again', () => {
    const registry = registryOf();
    registry.put(artist);
    const before = registry.schema();
    registry.put(structuredClone(artist));
    registry.remove('dr_unknown_1');
    expect(registry.schema()).toBe(before);
  });

  it('knows whose a generated type is', () => {
    const registry = registryOf();
    registry.put(artist);
    for (const name of ['dr_artist_1', 'dr_artist_1_page', 'dr_artist_1__address__geo_point']) {
      expect(registry.ownerOf(name)).toBe(artist);
    }
    expect(registry.ownerOf('Page')).toBeUndefined();
  });

  it('refuses a second owner of a type name and stays unchanged', () => {
    const registry = registryOf();
    registry.put(
      define('a', { id: { type: 'string' }, b_1: { type: 'object', properties: { c: { type: 'string' } } } }),
    );
    const before = registry.schema();
    expect(() => registry.put(define('a-1--b', { id: { type: 'string' } }))).toThrow(TypeError);
    expect(registry.schema()).toBe(before);
  });

  it('answers through its resolvers', async () => {
    const registry = registryOf({
      page: () => () => ({ data: [{ id: 7, 'full-name': 'x', address: { street: 'y' } }], page: {} }),
      metadata: () => () => ({ uuid: 'u' }),
      property: (_definition, field) => readOwnProperty(field.propertyName),
      reference: () => () => null,
      change: () => () => null,
    });
    registry.put(artist);
    const document = parse(
      '{ dr_artist_1 { data { _dr { uuid } id full_name address { street } aliases { name } } } }',
    );
    expect(await execute({ schema: registry.schema(), document })).toEqual({
      data: {
        dr_artist_1: {
          data: [{ _dr: { uuid: 'u' }, id: 7, full_name: 'x', address: { street: 'y' }, aliases: null }],
        },
      },
    });
  });

  it('answers numbers beyond 2^53 as Float', async () => {
    const registry = registryOf({
      page: () => () => ({
        data: [
          { id: 'a', n: 10n ** 20n },
          { id: 'b', n: 2.5 },
        ],
        page: {},
      }),
      metadata: () => () => ({}),
      property: (_definition, field) => readOwnProperty(field.propertyName),
      reference: () => () => null,
      change: () => () => null,
    });
    registry.put(define('sums', { id: { type: 'string' }, n: { type: 'number' } }));
    const document = parse('{ dr_sums_1 { data { n } } }');
    expect(await execute({ schema: registry.schema(), document })).toEqual({
      data: { dr_sums_1: { data: [{ n: 1e20 }, { n: 2.5 }] } },
    });
  });
});
