import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { AssemblyRequest } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { parseJson } from '@fds/json';
import { eventually } from '@fds/testing';
import { createBusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed, type SeededVersion } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const zoneOfCaller = randomUUID();
const person = (permits: Principal['permits']): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'dgs',
  zones: [],
  defaultZoneUuid: zoneOfCaller,
  permits,
});
const steward = person((_action, path) => path.startsWith('/drs'));
const stranger = person(() => false);

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let country: SeededVersion;
const asked: AssemblyRequest[] = [];
/** The texts of the statements of listings. */
const statements: string[] = [];
/** The database, with the statements of listings noted. */
const noteStatements = (): TestDatabase => ({
  ...database,
  searches: {
    ...database.searches,
    sessionOf: (caller) => {
      const session = database.searches.sessionOf(caller);
      return {
        ...session,
        query: (statement, values) => {
          statements.push(typeof statement === 'string' ? statement : statement.text);
          return session.query(statement, values);
        },
      };
    },
  },
});

const run = async (source: string, variableValues: Record<string, unknown> = {}, principal = steward) => {
  const contextValue: RequestContext = { principal, requestId: 'test' };
  const answer = await graphql({ schema: server.subgraph.schema, source, variableValues, contextValue });
  return { data: answer.data ?? {}, errors: (answer.errors ?? []).map(({ extensions }) => extensions) };
};

const create = (input: Record<string, unknown>) =>
  run('mutation ($input: DataRecordInput!) { createDataRecord(input: $input) { uuid drKey json adaptorUuid } }', {
    input,
  });

let adaptorUuid: string;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  const zone = await seed.addZone('Zone');
  country = await seed.addVersion({
    domainName: 'Country',
    domainType: 'SERVICE_DATA_STORE',
    properties: {
      code: { type: 'integer' },
      name: { type: 'string', required: true },
      area: { type: 'object', properties: { km2: { type: 'number' } } },
    },
    drKeyProperties: ['code'],
  });
  await seed.addVersion({
    domainName: 'City',
    domainType: 'SERVICE_DATA_STORE',
    properties: {
      name: { type: 'string' },
      country: { $ref: '/domains/Country:v1' },
      countryName: { $ref: '/domains/Country:v1/name' },
    },
    drKeyProperties: ['name'],
  });
  await seed.addVersion({
    domainName: 'Customer',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  server = await startRecords(noteStatements(), {
    assembler: {
      assembleProgressively: () => {
        throw new TypeError('no progressive answer is read in this test');
      },
      assemble: async (request) => {
        asked.push(request);
        if (request.timeout === 0) {
          const errors = [{ pointer: '/timeout', code: 'OUT_OF_RANGE', detail: 'timeout must be from 1 to 600' }];
          throw new AppError('VALIDATION_FAILED', 'the assembly request is not valid', { errors });
        }
        return {
          uuid: randomUUID(),
          domain: 'Customer',
          versionNumber: 1,
          domainVersionUuid: randomUUID(),
          virtualizationRequest: { domainVersionUuid: randomUUID(), outputType: 'FULL' },
          assembledDataRecords: (request.drUuids ?? []).map((uuid) => ({
            uuid,
            data: { name: 'live' },
            status: 'PREFERRED_COMPLETE' as const,
            drKey: {},
            adaptors: [],
          })),
          completeness: [],
          _page: { page: 0, size: 1, totalElements: 1, totalPages: 1 },
          schemaEntries: [],
        };
      },
    },
  });
  adaptorUuid = await seed.addAdaptor({ name: 'crm', zoneUuid: zone, domains: ['Customer'] });
  const crm = createBusAdaptor(server.bus, adaptorUuid, { domain: 'Customer', version: 1 });
  await crm.connect();
  for (const id of [9, 10, 9223372036854775807n]) crm.send({ action: 'POST', json: { id, name: 'n' } });
  await eventually(() => expect(crm.acknowledged).toBe(3));
  for (const code of [2, 10, 1])
    await create({ name: 'Country', json: { code, name: `c${code}`, area: { km2: 1.5 } } });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

describe('createDataRecord', () => {
  it('keeps every digit of a data-store record', async () => {
    const { data } = await create({ name: 'country', json: { code: 9007199254740993n, name: 'Far' } });
    const created = data['createDataRecord'] as { uuid: string; json: string };
    expect(parseJson(created.json)).toEqual({ code: 9007199254740993n, name: 'Far' });
    const again = await run('query ($u: Uuid!) { dataRecord(drUuid: $u) { json } }', { u: created.uuid });
    expect(parseJson((again.data['dataRecord'] as { json: string }).json)).toEqual({
      code: 9007199254740993n,
      name: 'Far',
    });
    await database.pool.query('DELETE FROM data_record WHERE uuid = $1', [created.uuid]);
  });

  it('refuses a taken key and names who has it', async () => {
    const { data } = await create({ domainVersionUuid: country.domainVersionUuid, json: { code: 77, name: 'x' } });
    const { uuid } = data['createDataRecord'] as { uuid: string };
    const { errors } = await create({ domainUuid: country.domainUuid, version: 1, json: { code: 77, name: 'y' } });
    expect(errors).toEqual([{ code: 'DUPLICATE_DR_KEY', uuid }]);
    await database.pool.query('DELETE FROM data_record WHERE uuid = $1', [uuid]);
  });

  it.each([
    [{ name: 'Nowhere', json: {} }, 'NOT_FOUND'],
    [{ name: 'Country', version: 9, json: {} }, 'NOT_FOUND'],
    [{ domainUuid: '019a5d2e-0000-7000-8000-0000000000ff', json: {} }, 'UNKNOWN_REFERENCE'],
    [{ domainVersionUuid: '019a5d2e-0000-7000-8000-0000000000ff', json: {} }, 'UNKNOWN_REFERENCE'],
    [{ json: {} }, 'VALIDATION_FAILED'],
    [{ name: 'Country', json: [] }, 'VALIDATION_FAILED'],
  ])('refuses %j with %s', async (input, code) => {
    expect((await create(input)).errors).toMatchObject([{ code }]);
  });

  it('refuses names that contradict the uuid', async () => {
    const { domainUuid, domainVersionUuid } = country;
    const json = { code: 78, name: 'x' };
    const causesOf = async (input: Record<string, unknown>) =>
      (await create({ ...input, json })).errors.flatMap(({ errors }) =>
        (errors as { pointer: string; code: string }[]).map(({ pointer, code }) => `${pointer} ${code}`),
      );
    expect(await causesOf({ domainUuid, name: 'City' })).toEqual(['/name CONTRADICTION']);
    const other = { domainVersionUuid, domainUuid: randomUUID(), name: 'City', version: 2 };
    expect(await causesOf(other)).toEqual(['/name', '/domainUuid', '/version'].map((at) => `${at} CONTRADICTION`));
    const { data } = await create({ domainVersionUuid, domainUuid, name: 'COUNTRY', version: 1, json });
    const { uuid } = data['createDataRecord'] as { uuid: string };
    await database.pool.query('DELETE FROM data_record WHERE uuid = $1', [uuid]);
  });

  it('lists every fault below /json', async () => {
    const { errors } = await create({ name: 'Country', json: { code: 'x' } });
    expect(errors).toMatchObject([{ code: 'VALIDATION_FAILED' }]);
    const causes = errors[0]?.['errors'] as { pointer: string }[];
    expect(causes.map(({ pointer }) => pointer).sort()).toEqual(['/json/code', '/json/name']);
  });

  it('writes the catalogue entry of a federated record without its data', async () => {
    const { data } = await create({ name: 'Customer', json: { id: 5, name: 'kept nowhere' } });
    const created = data['createDataRecord'] as { uuid: string; drKey: string };
    expect(created).toMatchObject({ json: null, adaptorUuid: null });
    expect(parseJson(created.drKey)).toEqual({ id: 5 });
    await database.pool.query('DELETE FROM data_record WHERE uuid = $1', [created.uuid]);
  });
});

describe('dataRecords', () => {
  const list = async (args: string) => {
    const fields = 'data { drKey adaptorUuid json } page { page size totalElements totalPages }';
    const { data, errors } = await run(`{ dataRecords(${args}) { ${fields} } }`);
    const answer = data['dataRecords'] as
      { data: { drKey: string; adaptorUuid: string | null }[]; page: object } | undefined;
    return {
      errors,
      page: answer?.page,
      data: answer?.data,
      keys: answer?.data.map(({ drKey }) => Object.values(parseJson(drKey) as object)[0]),
    };
  };

  it('sorts numbers as numbers', async () => {
    expect((await list('domainName: "Country", sort: "code"')).keys).toEqual([1, 2, 10]);
    expect((await list('domainName: "Customer", sort: "-id"')).keys).toEqual([9223372036854775807n, 10, 9]);
  });

  it('pages without gaps', async () => {
    const second = await list('domainName: "Country", sort: "code", page: 1, size: 2');
    expect(second.keys).toEqual([10]);
    expect(second.page).toEqual({ page: 1, size: 2, totalElements: 3, totalPages: 2 });
    expect((await list('domainName: "Country", page: 9')).data).toEqual([]);
  });

  it('searches by DR Key, with totals of the found records', async () => {
    const found = await list('domainName: "Country", query: "code:[2 TO *] OR 1", sort: "-CODE", size: 2');
    expect(found.keys).toEqual([10, 2]);
    expect(found.page).toEqual({ page: 0, size: 2, totalElements: 3, totalPages: 2 });
    expect((await list('domainName: "Customer", query: "NOT id:<=10"')).keys).toEqual([9223372036854775807n]);
  });

  it.each([
    ['dataRecords(domainName: "Country", sort: "code")', '{ json }'],
    ['dataRecords(domainName: "Customer", excludeAdaptors: true)', '{ uuid }'],
    ['dr_Country_1(sort: "code")', '{ code }'],
  ])('%s counts only for a query that selects a total', async (field, selected) => {
    const ask = async (page: string) => {
      statements.length = 0;
      const { data, errors } = await run(`{ answer: ${field} { data ${selected} ${page} } }`);
      expect(errors).toEqual([]);
      return {
        page: (data['answer'] as { readonly page?: unknown }).page,
        counts: statements.filter((text) => /record_count|count\(\*\)/.test(text)).length,
      };
    };
    expect(await ask('')).toEqual({ page: undefined, counts: 0 });
    expect(await ask('page { number: page size }')).toMatchObject({ page: { number: 0 }, counts: 0 });
    expect(await ask('page { totalElements }')).toEqual({ page: { totalElements: 3 }, counts: 1 });
    expect(await ask('page { totalPages }')).toEqual({ page: { totalPages: 1 }, counts: 1 });
  });

  it('says where an expression is wrong', async () => {
    expect((await list('domainName: "Country", query: "code:1 AND"')).errors).toMatchObject([
      { code: 'INVALID_QUERY', position: 10, errors: [{ pointer: 'query', code: 'SYNTAX' }] },
    ]);
  });

  it('tells all that is wrong with its arguments, in lists and in record types', async () => {
    const pointersOf = (errors: readonly { errors?: unknown }[]) =>
      errors.flatMap(({ errors: causes }) => (causes as { pointer: string }[]).map(({ pointer }) => pointer));
    const args = 'size: 0, sort: "name,area", query: "code:["';
    const listed = (await list(`domainName: "Country", drKey: "code=x", ${args}`)).errors;
    expect(pointersOf(listed)).toEqual(['size', 'sort', 'sort', 'drKey', 'query']);
    expect(listed).toMatchObject([{ code: 'INVALID_PARAMETER', position: 6 }]);
    const { errors } = await run(`{ dr_Country_1(${args}) { page { size } } }`);
    expect(pointersOf(errors)).toEqual(['size', 'sort', 'sort', 'query']);
  });

  it('names the type of the domain of each record', async () => {
    // the deprecated fields stay until clients have moved to `domainType`
    const fields = 'data { uuid domainType federated { uuid } stored { uuid } }';
    for (const [domainName, domainType] of [
      ['Country', 'SERVICE_DATA_STORE'],
      ['Customer', 'FEDERATED'],
    ] as const) {
      const { data } = await run(`{ dataRecords(domainName: "${domainName}") { ${fields} } }`);
      const rows = (data['dataRecords'] as { data: { uuid: string }[] }).data;
      const isFederated = domainType === 'FEDERATED';
      expect(rows).toHaveLength(3);
      expect(rows).toEqual(
        rows.map(({ uuid }) => ({
          uuid,
          domainType,
          federated: isFederated ? { uuid } : null,
          stored: isFederated ? null : { uuid },
        })),
      );
    }
  });

  it('gives a federated record a row per link, or one row', async () => {
    const perLink = await list('domainName: "Customer", drKey: "id=10"');
    expect(perLink.data).toEqual([{ drKey: '{"id": 10}', adaptorUuid, json: null }]);
    expect((await list('domainName: "Customer", excludeAdaptors: true, drKey: "id=10"')).data).toMatchObject([
      { adaptorUuid: null },
    ]);
    expect((await list(`domainName: "Customer", adaptorUuid: "${adaptorUuid}"`)).data).toHaveLength(3);
    expect((await list(`domainName: "Customer", adaptorUuid: "${randomUUID()}"`)).data).toEqual([]);
  });

  it.each([
    ['size: 10', 'INVALID_PARAMETER'],
    ['domainName: "Country", size: 1001', 'INVALID_PARAMETER'],
    ['domainName: "Country", sort: "name"', 'INVALID_PARAMETER'],
    ['domainName: "Country", drKey: "code=x"', 'INVALID_PARAMETER'],
    ['domainName: "Country", drKey: "name=x"', 'INVALID_PARAMETER'],
    ['domainName: "Country", query: "code:["', 'INVALID_QUERY'],
    ['domainName: "Country", query: "name:x"', 'INVALID_QUERY'],
    [`drUuids: ["${randomUUID()}"], query: "code:1"`, 'INVALID_PARAMETER'],
    ['domainName: "Nowhere"', 'NOT_FOUND'],
  ])('refuses (%s) with %s', async (args, code) => {
    expect((await list(args)).errors).toMatchObject([{ code }]);
  });

  it('refuses who lacks the permission, on every root field', async () => {
    for (const source of [
      '{ dataRecords(domainName: "Country") { page { page } } }',
      `{ dataRecord(drUuid: "${randomUUID()}") { uuid } }`,
      '{ dr_Country_1 { page { page } } }',
      'mutation { createDataRecord(input: {name: "Country", json: "{}"}) { uuid } }',
    ]) {
      expect((await run(source, {}, stranger)).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
    }
  });
});

describe('record types', () => {
  it('answer a page of data-store records with nested objects and metadata', async () => {
    const { data, errors } = await run(
      '{ dr_Country_1(sort: "-code", size: 2) { data { code name area { km2 } _dr { drKey status adaptors { uuid } } } page { totalElements } } }',
    );
    expect(errors).toEqual([]);
    expect(data['dr_Country_1']).toEqual({
      data: [
        { code: 10, name: 'c10', area: { km2: 1.5 }, _dr: { drKey: '{"code":10}', status: null, adaptors: [] } },
        { code: 2, name: 'c2', area: { km2: 1.5 }, _dr: { drKey: '{"code":2}', status: null, adaptors: [] } },
      ],
      page: { totalElements: 3 },
    });
  });

  it('follow references by key value and by uuid, those of a page in one statement', async () => {
    const { rows } = await database.pool.query<{ uuid: string }>(
      `SELECT uuid FROM data_record WHERE domain_version_uuid = $1 AND dr_key ->> 'code' = '1'`,
      [country.domainVersionUuid],
    );
    await create({ name: 'City', json: { name: 'Aa', country: 10, countryName: 2 } });
    await create({ name: 'City', json: { name: 'Bb', country: { $ref: `/drs/${rows[0]?.uuid}` } } });
    const { data, errors } = await run('{ dr_City_1(sort: "name") { data { name countryName country { name } } } }');
    expect(errors).toEqual([]);
    expect(data['dr_City_1']).toEqual({
      data: [
        { name: 'Aa', countryName: 'c2', country: { name: 'c10' } },
        { name: 'Bb', countryName: null, country: { name: 'c1' } },
      ],
    });
  });

  it('assemble a page of federated records at once', async () => {
    asked.length = 0;
    const { data, errors } = await run(
      '{ dr_Customer_1(sort: "id", additionalParameters: "{\\"timeout\\": 5}") { data { name _dr { status adaptors { name } } } } }',
    );
    expect(errors).toEqual([]);
    const row = { name: 'live', _dr: { status: 'PREFERRED_COMPLETE', adaptors: [{ name: 'crm' }] } };
    expect(data['dr_Customer_1']).toEqual({ data: [row, row, row] });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      domain: 'Customer',
      versionNumber: 1,
      timeout: 5,
      zoneUuid: zoneOfCaller,
      size: 3,
    });
  });

  it('take further options of the assembler as a JSON-encoded string', async () => {
    const source =
      'query ($p: String) { dr_Customer_1(size: 1, additionalParameters: $p) { data { name } page { size } } }';
    const asking = async (p: string | null) => (await run(source, { p })).errors;
    const pointersOf = (errors: Awaited<ReturnType<typeof asking>>) =>
      errors.map(({ code, errors: causes }) => [code, (causes as { pointer: string }[]).map(({ pointer }) => pointer)]);
    expect(await asking(null)).toEqual([]);
    expect(await asking('{"adaptors": [], "releasePolicy": "ASAP"}')).toEqual([]);
    expect(asked.at(-1)).toMatchObject({ adaptors: [], releasePolicy: 'ASAP', size: 1 });
    expect(pointersOf(await asking('{"timeout": '))).toEqual([['INVALID_PARAMETER', ['additionalParameters']]]);
    expect(pointersOf(await asking('[]'))).toEqual([['INVALID_PARAMETER', ['additionalParameters']]]);
    expect(pointersOf(await asking('{"timeout": "5", "colour": 1}'))).toEqual([
      ['INVALID_PARAMETER', ['additionalParameters/timeout', 'additionalParameters/colour']],
    ]);
    // a refusal by the assembler
    expect(pointersOf(await asking('{"timeout": 0}'))).toEqual([
      ['INVALID_PARAMETER', ['additionalParameters/timeout']],
    ]);
    const { errors } = await run('{ dr_Customer_1(size: 0, additionalParameters: "x") { page { size } } }');
    expect(pointersOf(errors)).toEqual([['INVALID_PARAMETER', ['size', 'additionalParameters']]]);
    const { errors: untyped } = await run(
      'query ($p: Json) { dr_Customer_1(additionalParameters: $p) { page { size } } }',
    );
    expect(untyped).toHaveLength(1);
  });

  it('come with a new version, without a restart', async () => {
    const changed: string[] = [];
    const stop = server.subgraph.recordTypes.onRecordTypesChanged((changes) => {
      for (const change of changes) if (change.kind === 'PUT') changed.push(change.definition.typeName);
    });
    await seed.addVersion({
      domainName: 'Late',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    await eventually(async () => {
      expect((await run('{ dr_Late_1 { data { id } } }')).data).toEqual({ dr_Late_1: { data: [] } });
    });
    stop();
    expect(changed).toEqual(['dr_Late_1']);
  });

  it('count linkages for the gateway', async () => {
    const { data } = await run(
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Adaptor { linkageCount } } }',
      {
        of: [
          { __typename: 'Adaptor', uuid: adaptorUuid },
          { __typename: 'Adaptor', uuid: randomUUID() },
        ],
      },
    );
    expect(data['_entities']).toEqual([{ linkageCount: 3 }, { linkageCount: 0 }]);
  });
});
