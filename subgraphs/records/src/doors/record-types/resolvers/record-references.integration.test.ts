import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { AssemblyRequest } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { RequestContext } from '@fds/graphql';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { createCatalogSeed } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

const maxLong = 9_223_372_036_854_775_807n;
const steward: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'dgs',
  zones: [],
  defaultZoneUuid: randomUUID(),
  permits: (_action, path) => path.startsWith('/drs'),
};

describe('references of record types', () => {
  let database: TestDatabase;
  let server: StartedRecords;
  const assembled: AssemblyRequest[] = [];

  const run = async (source: string, variableValues: Record<string, unknown> = {}) => {
    const contextValue: RequestContext = { principal: steward, requestId: 'test' };
    const { data, errors = [] } = await graphql({
      schema: server.subgraph.schema,
      source,
      variableValues,
      contextValue,
    });
    return { data: data ?? {}, errors };
  };

  /** The only page that is asked for. */
  const rowsOf = async (source: string): Promise<unknown> => {
    const { data, errors } = await run(source);
    expect(errors).toEqual([]);
    const [page] = Object.values(data) as { readonly data: unknown }[];
    return page?.data;
  };

  const create = async (name: string, json: JsonObject): Promise<string> => {
    const { data, errors } = await run(
      'mutation ($input: DataRecordInput!) { createDataRecord(input: $input) { uuid } }',
      { input: { name, json } },
    );
    expect(errors).toEqual([]);
    return (data['createDataRecord'] as { readonly uuid: string }).uuid;
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    const seed = createCatalogSeed(database);
    const zoneUuid = await seed.addZone('Zone');
    const stored = (domainName: string, properties: JsonObject, drKeyProperties: readonly string[]) =>
      seed.addVersion({ domainName, domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    await stored('Region', { code: { type: 'string' }, title: { type: 'string' } }, ['code']);
    await stored(
      'Item',
      {
        number: { type: 'integer' },
        owner: { type: 'integer' },
        Label: { type: 'string' },
        rank: { type: 'integer' },
        region: { $ref: '/domains/Region:v1' },
      },
      ['number', 'owner'],
    );
    await seed.addVersion({
      domainName: 'Customer',
      domainType: 'FEDERATED',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string' },
        items: { $ref: '/domains/Item:v1', query: 'owner:${id}', multivalued: true },
        home: { $ref: '/domains/Region:v1' },
        rival: { $ref: '/domains/Customer:v1' },
      },
      drKeyProperties: ['id'],
    });
    await stored(
      'Person',
      {
        id: { type: 'integer' },
        nick: { type: 'string' },
        plain: { type: 'string' },
        items: { $ref: '/domains/Item:v1', query: 'owner:${id}', multivalued: true, sort: '-rank', limit: 3 },
        first: { $ref: '/domains/Item:v1', query: 'owner:${id}', sort: 'rank' },
        labels: { $ref: '/domains/Item:v1/label', query: 'owner:${id}', multivalued: true },
        label: { $ref: '/domains/item:v1/LABEL', query: 'owner:${id}', sort: '-rank' },
        none: { $ref: '/domains/Item:v1', query: 'owner:${id}', multivalued: true, limit: 0 },
        open: { $ref: '/domains/Region:v1', multivalued: true },
        friends: { type: 'array', items: { $ref: '/domains/Person:v1' } },
        account: { $ref: '/domains/Customer:v1' },
        accountName: { $ref: '/domains/Customer:v1/name' },
        address: {
          type: 'object',
          properties: {
            region: { $ref: '/domains/Region:v1' },
            items: { $ref: '/domains/Item:v1', query: 'owner:${id}', multivalued: true },
          },
        },
        stays: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              year: { type: 'integer' },
              place: { type: 'object', properties: { region: { $ref: '/domains/Region:v1' } } },
            },
          },
        },
      },
      ['id', 'nick'],
    );
    server = await startRecords(database, {
      assembler: {
        assembleProgressively: () => {
          throw new TypeError('no progressive answer is read in this test');
        },
        assemble: async (request) => {
          assembled.push(request);
          const records = (request.drUuids ?? []).map((uuid) => ({
            uuid,
            data: { name: `live ${request.domain}`, home: 'n', rival: 8 },
            status: 'PREFERRED_COMPLETE' as const,
            drKey: {},
            adaptors: [],
          }));
          return {
            uuid: randomUUID(),
            domain: request.domain ?? '',
            versionNumber: 1,
            domainVersionUuid: randomUUID(),
            virtualizationRequest: { ...request, domainVersionUuid: randomUUID(), outputType: 'FULL' as const },
            assembledDataRecords: records,
            _page: { page: 0, size: records.length, totalElements: records.length, totalPages: 1 },
            schemaEntries: [],
            completeness: [],
          };
        },
      },
    });
    await seed.addAdaptor({ name: 'crm', zoneUuid, domains: ['Customer'] });

    for (const code of ['n', 's', 'a*', 'a"b', 'x OR code:n'])
      await create('Region', { code, title: `region ${code}` });
    for (const [number, owner, rank] of [
      [1, 1, 5],
      [2, 1, 7],
      [3, 1, null],
      [4, 1, 6],
      [5, maxLong, 1],
      [6, maxLong - 1n, 2],
    ] as const) {
      const json = { number, owner, rank, ...(number === 4 ? {} : { Label: `item ${number}` }) };
      await create('Item', { ...json, region: number % 2 === 0 ? 'n' : 's' });
    }
    await create('Customer', { id: 1 });
    await create('Customer', { id: 8 });
    await create('Person', { id: 1, nick: 'a*', plain: 'n', account: 1, accountName: 8 });
    await create('Person', {
      id: maxLong,
      nick: 'x OR code:n',
      open: ['s', 'n'],
      friends: [{ id: 1, nick: 'a*' }],
      account: 8,
      address: { region: 'n' },
      stays: [
        { year: 2020, place: { region: 's' } },
        { year: 2021, place: { region: 'a"b' } },
        { year: 2022, place: null },
      ],
    });
    await create('Person', { nick: 'without id' });
    // calls through: counts only
    jest.spyOn(database.reads, 'query');
    const { sessionOf } = database.searches;
    jest.spyOn(database.searches, 'sessionOf').mockImplementation((caller) => {
      const session = sessionOf(caller);
      return {
        query: (statement, values) => {
          searched.push(typeof statement === 'string' ? statement : statement.text);
          return session.query(statement, values);
        },
      };
    });
  });
  beforeEach(() => {
    assembled.length = 0;
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await server.close();
    await database.drop();
  });

  /** Statements in the share of searches. */
  const searched: string[] = [];
  const statementsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const { calls } = jest.mocked(database.reads.query).mock;
    const before = calls.length;
    searched.length = 0;
    await work();
    const read = calls
      .slice(before)
      .map(([statement]) => (typeof statement === 'string' ? statement : (statement as { text: string }).text));
    return [...read, ...searched].filter((text) => /data_record|record_link/.test(text));
  };

  it('lead to many or one by the query of the model, in its order and number', async () => {
    expect(
      await rowsOf(
        '{ dr_Person_1(sort: "id") { data { items { number } first { number } labels label none { number } } } }',
      ),
    ).toEqual([
      { items: [], first: null, labels: [], label: null, none: [] },
      {
        items: [{ number: 2 }, { number: 4 }, { number: 1 }],
        // without a rank comes first
        first: { number: 3 },
        labels: ['item 1', 'item 2', 'item 3'],
        label: 'item 2',
        none: [],
      },
      { items: [{ number: 5 }], first: { number: 5 }, labels: ['item 5'], label: 'item 5', none: [] },
    ]);
  });

  it('are narrowed, sorted and cut by arguments', async () => {
    expect(
      await rowsOf(`{ dr_Person_1(query: "id:1") { data {
        narrowed: items(query: "number:[1 TO 3]") { number }
        sorted: items(sort: "-number", limit: 2) { number }
        more: items(limit: 10) { number }
        nothing: items(limit: 0) { number }
        one: first(query: "-number:3") { number }
        blank: items(query: " ", sort: "number") { number }
        names: labels(query: "number:2")
      } } }`),
    ).toEqual([
      {
        narrowed: [{ number: 2 }, { number: 1 }, { number: 3 }],
        sorted: [{ number: 4 }, { number: 3 }],
        more: [{ number: 2 }, { number: 4 }, { number: 1 }],
        nothing: [],
        one: { number: 1 },
        blank: [{ number: 1 }, { number: 2 }, { number: 3 }],
        names: ['item 2'],
      },
    ]);
  });

  it('are linked by an argument alone where nothing is posted, narrowed by it where something is', async () => {
    expect(
      await rowsOf(
        '{ dr_Person_1(sort: "id") { data { open(query: "code:${NICK}") { code } all: open { code } some: open(query: "code:n OR code:x") { code } } } }',
      ),
    ).toEqual([
      { open: [], all: [], some: [{ code: 'n' }] },
      { open: [{ code: 'a*' }], all: [], some: [{ code: 'n' }] },
      // posted are s and n, in this order
      { open: [], all: [{ code: 's' }, { code: 'n' }], some: [{ code: 'n' }] },
    ]);
  });

  it('stand in nested objects, in lists of objects and in lists of references', async () => {
    expect(
      await rowsOf(`{ dr_Person_1(sort: "id") { data {
        address { region { title } items { number } } stays { year place { region { title } } } friends { nick friends { nick } } } } }`),
    ).toEqual([
      { address: null, stays: null, friends: [] },
      { address: null, stays: null, friends: [] },
      {
        address: { region: { title: 'region n' }, items: [{ number: 5 }] },
        stays: [
          { year: 2020, place: { region: { title: 'region s' } } },
          { year: 2021, place: { region: { title: 'region a"b' } } },
          { year: 2022, place: null },
        ],
        friends: [{ nick: 'a*', friends: [] }],
      },
    ]);
  });

  it('are read in one statement for each level of a page', async () => {
    const page = 'dr_Person_1(sort: "id") { data { nick';
    const below = 'items { number region { title } } first { region { code } } friends { items { region { code } } }';
    const levels = async (fields: string) => (await statementsOf(() => rowsOf(`{ ${page} ${fields} } } }`))).length;
    expect(await levels('')).toBe(1);
    expect(await levels('items { number }')).toBe(2);
    expect(await levels('items { number } first { number } address { region { code } items { number } }')).toBe(2);
    // regions of the fourth level are those of the third: records that were read are not read again
    expect(await levels(below)).toBe(3);
  });

  it('are assembled where the target is federated, in one request for a level', async () => {
    expect(
      await rowsOf(
        `{ dr_Person_1(sort: "id") { data { account { name home { title } items { number } rival { _dr { drKey status } rival { name } } } accountName } } }`,
      ),
    ).toEqual([
      { account: null, accountName: null },
      {
        account: {
          name: 'live Customer',
          home: { title: 'region n' },
          items: [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }],
          rival: { _dr: { drKey: '{"id":8}', status: 'PREFERRED_COMPLETE' }, rival: { name: 'live Customer' } },
        },
        accountName: 'live Customer',
      },
      {
        account: expect.objectContaining({ name: 'live Customer', items: [] }),
        accountName: null,
      },
    ]);
    // those of the first level at once; an assembled record is not requested again
    expect(assembled).toHaveLength(1);
    expect(assembled[0]).toMatchObject({
      domain: 'Customer',
      versionNumber: 1,
      size: 2,
      zoneUuid: steward.defaultZoneUuid,
    });
  });

  it('in a federated record use the DR Key that the server holds, and are assembled with the same options', async () => {
    const zoneUuid = randomUUID();
    const { data, errors } = await run(
      'query ($z: Uuid, $p: String) { dr_Customer_1(query: "1", zoneUuid: $z, additionalParameters: $p) { data { items { number } home { code } rival { name } } } }',
      {
        z: zoneUuid,
        p: stringifyJson({ timeout: 3, adaptors: [zoneUuid], requestedProperties: ['name'] }),
      },
    );
    expect(errors).toEqual([]);
    expect(data['dr_Customer_1']).toEqual({
      data: [
        {
          items: [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }],
          home: { code: 'n' },
          rival: { name: 'live Customer' },
        },
      ],
    });
    const [, second] = assembled;
    expect(assembled).toHaveLength(2);
    expect(second).toMatchObject({ zoneUuid, timeout: 3, adaptors: [zoneUuid], size: 1 });
    expect(second).not.toHaveProperty('requestedProperties');
  });

  it('to one federated version are one request for a level, for any number of fields', async () => {
    await rowsOf(
      `{ dr_Person_1(sort: "id") { data { account { name } again: account { rival { name } } accountName also: accountName } } }`,
    );
    expect(assembled.map(({ drUuids }) => drUuids?.length)).toEqual([2]);
  });

  describe('in a federated page', () => {
    const pageWith = async (options: JsonObject, fields: string) => {
      const { data, errors } = await run(
        `query ($p: String) { dr_Customer_1(query: "1", additionalParameters: $p) { data { ${fields} } } }`,
        { p: stringifyJson(options) },
      );
      expect(errors).toEqual([]);
      return (data['dr_Customer_1'] as { readonly data: unknown }).data;
    };
    const fields = 'name items(limit: 3) { number region { code } } rival { name home { code } }';

    it('are no longer than maxRefSize, nor than the limit of the field', async () => {
      expect(await pageWith({ maxRefSize: 2 }, 'items(limit: 3) { number }')).toEqual([
        { items: [{ number: 1 }, { number: 2 }] },
      ]);
      expect(await pageWith({ maxRefSize: 10 }, 'items(limit: 1) { number }')).toEqual([{ items: [{ number: 1 }] }]);
      expect(await pageWith({ maxRefSize: 1 }, 'rival { items { number } }')).toEqual([{ rival: { items: [] } }]);
    });

    it('are followed to maxRefDepth', async () => {
      expect(await pageWith({ maxRefDepth: 1 }, fields)).toEqual([
        {
          name: 'live Customer',
          items: [1, 2, 3].map((number) => ({ number, region: null })),
          rival: { name: 'live Customer', home: null },
        },
      ]);
      expect(assembled).toHaveLength(2);
      expect(await pageWith({ maxRefDepth: 2 }, 'rival { home { code } }')).toEqual([
        { rival: { home: { code: 'n' } } },
      ]);
    });

    it('are not followed without expandRefs, and are never expanded by the assembler', async () => {
      expect(await pageWith({ expandRefs: false }, fields)).toEqual([
        { name: 'live Customer', items: [], rival: null },
      ]);
      expect(assembled).toHaveLength(1);
      expect(await pageWith({ expandRefs: true }, 'rival { name }')).toEqual([{ rival: { name: 'live Customer' } }]);
      expect(assembled.map(({ expandRefs }) => expandRefs)).toEqual([false, false, false]);
    });
  });

  it.each([
    ['items(query: "rank:1") { number }', { code: 'INVALID_QUERY', position: 0 }],
    ['items(query: "number:1 AND owner:${plain}") { number }', { code: 'INVALID_QUERY', position: 13 }],
    ['items(query: "number:(") { number }', { code: 'INVALID_QUERY', position: 8 }],
    ['items(query: "number:x") { number }', { code: 'INVALID_QUERY', position: 0 }],
    ['items(sort: "rank") { number }', { code: 'INVALID_PARAMETER' }],
    ['items(limit: -1) { number }', { code: 'INVALID_PARAMETER' }],
    ['items(limit: 1001) { number }', { code: 'INVALID_PARAMETER' }],
  ])('are refused: %s', async (field, expected) => {
    const { data, errors } = await run(`{ dr_Person_1(query: "id:1") { data { id asked: ${field} } } }`);
    expect(data['dr_Person_1']).toEqual({ data: [{ id: 1, asked: null }] });
    expect(errors.map(({ path, extensions }) => ({ path, extensions }))).toEqual([
      { path: ['dr_Person_1', 'data', 0, 'asked'], extensions: expect.objectContaining(expected) },
    ]);
  });

  it('take sort and limit where they are lists only', async () => {
    const codes = async (field: string) => (await run(`{ dr_Person_1 { data { ${field} } } }`)).errors.length;
    expect(await codes('labels(sort: "-number", limit: 1)')).toBe(0);
    expect(await codes('first(limit: 1) { number }')).toBe(1);
    expect(await codes('first(sort: "number") { number }')).toBe(1);
  });

  describe('in the data of a record', () => {
    const dataOf = async (nick: string, expandRefs = true) => {
      const { data, errors } = await run(
        'query ($k: String, $e: Boolean) { dataRecords(domainName: "Person", drKey: $k) { data { json(expandRefs: $e) refs { property } } } }',
        { k: `nick=${nick}`, e: expandRefs },
      );
      expect(errors).toEqual([]);
      const page = data['dataRecords'] as { readonly data: { readonly json: string; readonly refs: unknown }[] };
      const [record] = page.data;
      return { json: parseJson(record?.json ?? '{}') as JsonObject, refs: record?.refs };
    };

    it('are found by the query of the model, as GraphQL finds them', async () => {
      const { json, refs } = await dataOf('a*');
      expect(json).toEqual({
        id: 1,
        nick: 'a*',
        plain: 'n',
        account: { id: 1 },
        // a federated record has the DR Key only
        accountName: null,
        items: [2, 4, 1].map((number) => expect.objectContaining({ number, region: expect.any(Object) })),
        first: expect.objectContaining({ number: 3 }),
        labels: ['item 1', 'item 2', 'item 3', null],
        label: 'item 2',
        none: [],
      });
      expect(refs).toEqual(
        ['account', 'accountName', ...Array(3).fill('items'), 'first', ...Array(4).fill('labels'), 'label'].map(
          (property: string) => ({ property }),
        ),
      );
    });

    it('stand in nested objects too, and lead to nothing where the record lacks a value', async () => {
      const { json } = await dataOf('x OR code:n');
      expect(json['address']).toEqual({
        region: { code: 'n', title: 'region n' },
        items: [expect.objectContaining({ number: 5 })],
      });
      expect(json['open']).toEqual([
        { code: 's', title: 'region s' },
        { code: 'n', title: 'region n' },
      ]);
      expect((await dataOf('without id')).json).toEqual({
        nick: 'without id',
        items: [],
        first: null,
        labels: [],
        label: null,
        none: [],
      });
    });

    it('are shown by their DR Keys where they are not expanded', async () => {
      expect((await dataOf('a*', false)).json).toMatchObject({
        account: 1,
        items: [
          { number: 2, owner: 1 },
          { number: 4, owner: 1 },
          { number: 1, owner: 1 },
        ],
        first: { number: 3, owner: 1 },
        none: [],
      });
    });

    it('are read in one statement for each level', async () => {
      const statements = await statementsOf(() =>
        run('{ dataRecords(domainName: "Person", size: 10) { data { json } } }'),
      );
      // the list, then items and friends, items of friends, regions of these
      expect(statements).toHaveLength(4);
    });
  });
});
