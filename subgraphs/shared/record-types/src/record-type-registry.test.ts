import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '@fds/model-schema';
import type { JsonValue } from '@fds/json';
import { buildSchema, execute, lexicographicSortSchema, parse, printSchema, validate, validateSchema } from 'graphql';
import { describeRecordType } from './describe-record-type.js';
import type { DomainType } from './record-type-definition.js';
import { createRecordTypeRegistry, type RecordTypeRegistry } from './record-type-registry.js';
import { readOwnProperty, type RecordTypeResolvers } from './record-type-resolvers.js';

const staticSdl = `
  scalar Long scalar Json scalar Uuid scalar DateTime
  type Page { page: Int! size: Int! totalPages: Int! totalElements: Int! }
  type RecordMetadata { uuid: ID! }
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

const sdlOf = (registry: RecordTypeRegistry, names: readonly string[]): string => {
  const { types, queryFields } = registry.sdl(new Set(names), { type: '', queryField: '' });
  return printSchema(
    lexicographicSortSchema(buildSchema(`${staticSdl} type Query { health: String ${queryFields} } ${types}`)),
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
      'address: dr_artist_1__address',
      'aliases: [dr_artist_1__aliases]',
    ]);
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
    expect(sdlOf(registry, ['dr_artist_1', 'dr_al_bum_1', 'dr_genre_1'])).toBe(typesOf(registry));
    expect(validateSchema(buildSchema(typesOf(registry)))).toEqual([]);
  });

  it('leave out what leads to record types not asked for, as SDL and as types', () => {
    const registry = registryOf();
    for (const definition of [artist, album, genre]) registry.put(definition);
    for (const names of [['dr_al_bum_1'], ['dr_al_bum_1', 'dr_artist_1']]) {
      const types = printSchema(lexicographicSortSchema(registry.schemaOf(new Set(names))));
      expect(sdlOf(registry, names)).toBe(types);
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

  it('refuses a second owner of a type name and stays as it was', () => {
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
    });
    registry.put(define('sums', { id: { type: 'string' }, n: { type: 'number' } }));
    const document = parse('{ dr_sums_1 { data { n } } }');
    expect(await execute({ schema: registry.schema(), document })).toEqual({
      data: { dr_sums_1: { data: [{ n: 1e20 }, { n: 2.5 }] } },
    });
  });
});
