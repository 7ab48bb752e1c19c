import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdaptor, createVersion, requireStatus } from '../harness/catalogue.js';
import { getToken } from '../harness/client.js';
import { eventually } from '../harness/eventually.js';
import { createLeftovers } from '../harness/leftovers.js';
import { expectLocalPage } from './expect-local-page.js';
import { expectNoInternals } from './expect-problem.js';
import { doorOf, openDoors, type Doors, type GraphqlAnswer, type Resource } from './open-doors.js';
import { predefined, typeReference, types, typeText, type Field } from './specified-schema.js';
import { nobody, uniqueName } from './unique-name.js';

describe('the GraphQL door', () => {
  const leftovers = createLeftovers();
  let doors: Doors;
  let domainName: string;
  let domainUuid: string;
  let domainVersionUuid: string;

  beforeAll(async () => {
    doors = await openDoors(leftovers);
    ({ domainName, domainUuid, domainVersionUuid } = await createVersion(doors.dgs, {
      name: 'queried',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    }));
  }, 120_000);
  afterAll(() => leftovers.dispose(), 60_000);

  const ask = async <Data>(query: string, variables?: Record<string, unknown>): Promise<Data> => {
    const { body, text } = await doors.dgs.graphql<Data>(query, variables);
    if (body.errors !== undefined || !body.data) throw new Error(text);
    return body.data;
  };
  const fieldsOf = async (type: string): Promise<Map<string, Field>> => {
    const data = await ask<{ __type: { fields: Field[] } | null }>(
      `query ($type: String!) { __type(name: $type) { fields { name type { ${typeReference} }
        args { name defaultValue type { ${typeReference} } } } } }`,
      { type },
    );
    return new Map((data.__type?.fields ?? []).map((field) => [field.name, field]));
  };

  /** A media type of GraphQL over HTTP: this one tells refused requests by their status, `application/json` does not. */
  const modern = 'application/graphql-response+json';
  const askRaw = (query: string, accept: string) =>
    doors.dgs.call<GraphqlAnswer>('/graphql', { method: 'POST', headers: { accept }, json: { query } });

  it('answers POST with variables and an operation name', async () => {
    const query = `query other { zones { page { size } } }
      query mine($name: String) { domains(domainName: $name) { data { name } page { page size totalPages totalElements } } }`;
    const { status, headers, body } = await doors.dgs.call<GraphqlAnswer>('/graphql', {
      method: 'POST',
      json: { query, variables: { name: domainName }, operationName: 'mine' },
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/(graphql-response\+)?json\b/);
    expect(headers['x-request-id']).toMatch(/\S/);
    expect(body).toEqual({
      data: {
        domains: { data: [{ name: domainName }], page: { page: 0, size: 50, totalPages: 1, totalElements: 1 } },
      },
    });
  });

  it('answers GET with variables, without any header but Authorization', async () => {
    const query = 'query ($name: String) { domains(domainName: $name) { data { name } } }';
    const search = new URLSearchParams({ query, variables: JSON.stringify({ name: domainName }) }).toString();
    const answer = await doors.dgs.call<GraphqlAnswer>(`/graphql?${search}`);
    expect(answer).toMatchObject({ status: 200, body: { data: { domains: { data: [{ name: domainName }] } } } });
  });

  it('changes nothing by GET', async () => {
    const name = uniqueName('Type');
    const query = `mutation { createAdaptorType(input: { name: "${name}" }) { uuid } }`;
    const answer = await doors.dgs.call(`/graphql?${new URLSearchParams({ query }).toString()}`);
    expect([400, 405]).toContain(answer.status);
    const { adaptorTypes } = await ask<{ adaptorTypes: { data: unknown[] } }>(
      `{ adaptorTypes(name: "${name}") { data { uuid } } }`,
    );
    expect(adaptorTypes.data).toEqual([]);
  });

  it.each(predefined)('offers %s with the arguments of the specification', async (name, type, wanted) => {
    const field = (await fieldsOf('Query')).get(name);
    expect(field && typeText(field.type)).toBe(`${type}!`);
    const given = Object.fromEntries((field?.args ?? []).map((arg) => [arg.name, typeText(arg.type)]));
    expect(given).toMatchObject({ ...wanted, page: 'Int', size: 'Int' });
    const defaults = Object.fromEntries((field?.args ?? []).map((arg) => [arg.name, arg.defaultValue]));
    expect(defaults).toMatchObject({ page: '0', size: '50' });
  });

  it.each(types)('has the type %s of the specification', async (type, wanted) => {
    const fields = await fieldsOf(type);
    expect(Object.fromEntries([...fields].map(([name, field]) => [name, typeText(field.type)]))).toMatchObject(wanted);
  });

  it('reads a domain with its versions both ways', async () => {
    const { domains } = await ask<{ domains: { data: Record<string, unknown>[] } }>(
      `query ($uuid: Uuid) { domains(domainUuid: $uuid) { data {
        uuid name domainType active changeVersion versionCount defaultVersionNumber defaultVersionUuid dateCreated
        defaultVersion { uuid versionNumber domain { name } } versions { uuid modelSchema drKeyProperties }
      } } }`,
      { uuid: domainUuid },
    );
    expect(domains.data).toMatchObject([
      {
        uuid: domainUuid,
        domainType: 'SERVICE_DATA_STORE',
        active: true,
        versionCount: 1,
        defaultVersionNumber: 1,
        defaultVersionUuid: domainVersionUuid,
        defaultVersion: { uuid: domainVersionUuid, versionNumber: 1, domain: { name: domainName } },
        versions: [{ uuid: domainVersionUuid, drKeyProperties: ['id'] }],
      },
    ]);
    const [domain] = domains.data as [{ dateCreated: string; versions: [{ modelSchema: string }] }];
    // RFC 3339
    expect(domain.dateCreated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    expect(Math.abs(Date.parse(domain.dateCreated) - Date.now())).toBeLessThan(600_000);
    expect(JSON.parse(domain.versions[0].modelSchema)).toMatchObject({ properties: { id: { type: 'integer' } } });
  });

  it('tells the same time as REST', async () => {
    const { body } = await doors.dgs.rest<{ dateCreated: number }>('GET', `/domains/${domainUuid}`);
    const { domain } = await ask<{ domain: { dateCreated: string } }>(
      `{ domain(domainUuid: "${domainUuid}") { dateCreated } }`,
    );
    expect(Date.parse(domain.dateCreated)).toBe(body.dateCreated);
  });

  it.each([
    ['a document that is none', '{ domains { data ', 'GRAPHQL_PARSE_FAILED', 400],
    ['a field that is none', '{ colours }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['a record type that is none', '{ dr_nowhere_1 { data { id } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['an argument that is none', '{ domains(colour: 1) { data { uuid } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['a value of another type', '{ domains(page: "one") { data { uuid } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['no such resource', `{ domain(domainUuid: "${nobody}") { uuid } }`, 'NOT_FOUND', 200],
    ['a page below 0', '{ domains(page: -1) { data { uuid } } }', 'INVALID_PARAMETER', 200],
    ['a size of 0', '{ domains(size: 0) { data { uuid } } }', 'INVALID_PARAMETER', 200],
    ['a size of 1001', '{ dr_queried_1(size: 1001) { data { id } } }', 'INVALID_PARAMETER', 200],
    ['a sort key that is none', '{ dr_queried_1(sort: "colour") { data { id } } }', 'INVALID_PARAMETER', 200],
    ['a uuid that is none', '{ domains(domainUuid: "x") { data { uuid } } }', undefined, undefined],
    ['a NUL character', '{ domains(domainName: "a\\u0000b") { data { uuid } } }', undefined, undefined],
  ])('tells of %s by a code', async (_, query, code, status) => {
    const answer = await askRaw(query, modern);
    expectNoInternals(answer);
    expect(answer.status).toBeLessThan(500);
    const [error] = answer.body.errors ?? [];
    // what a NUL finds may be nothing
    if (code === undefined && error === undefined) return;
    expect(error?.extensions).toMatchObject({ code: code ?? expect.not.stringMatching(/INTERNAL/) });
    expect(error?.extensions.requestId).toBe(answer.headers['x-request-id']);
    if (status !== undefined) expect(answer.status).toBe(status);
    expect((await askRaw(query, 'application/json')).status).toBe(200);
  });

  it('names every fault of a mutation', async () => {
    const { body } = await doors.admin.graphql('mutation ($input: ZoneInput!) { createZone(input: $input) { uuid } }', {
      input: { name: 'z', geoCoordinates: 'nowhere' },
    });
    const [error] = body.errors ?? [];
    expect(error?.extensions.code).toBe('VALIDATION_FAILED');
    const causes = (error?.extensions['errors'] ?? []) as { pointer: string }[];
    const pointers = causes.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/name', '/geoCoordinates']));
  });

  const deep = (depth: number): string => {
    const rounds = (depth - 3) / 2;
    return `{ domains { data { ${'versions { domain { '.repeat(rounds)} uuid ${'} }'.repeat(rounds)} } } }`;
  };
  it.each([
    ['a depth over 15', deep(17)],
    ['more than 50 aliases', `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: __typename`).join(' ')} }`],
    ['more than 1000 fields', `{ domains { data { ${'uuid name '.repeat(550)} } } }`],
    [
      'more than 1000 fields through fragments',
      `{ domains { data { ${'...f '.repeat(200)} } } } fragment f on Domain { uuid name active description domainType versionCount }`,
    ],
    [
      'fragments that double and double',
      `{ domains { data { ...f0 } } } ${Array.from(
        { length: 20 },
        (_, n) => `fragment f${n} on Domain { ...f${n + 1} versions { domain { ...f${n + 1} } } }`,
      ).join(' ')} fragment f20 on Domain { uuid }`,
    ],
  ])('refuses %s before it runs', async (_, query) => {
    const { body, status } = await askRaw(query, modern);
    expect(body.data ?? null).toBeNull();
    expect(body.errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
    expect(status).toBe(400);
  });

  it('takes a depth of 13 and 50 aliases', async () => {
    await ask(deep(13));
    await ask(`{ ${Array.from({ length: 50 }, (_, n) => `a${n}: __typename`).join(' ')} }`);
  });

  it('refuses a circle of fragments, and a body over 1 MB', async () => {
    const circle = await askRaw(
      '{ domains { data { ...a } } } fragment a on Domain { versions { domain { ...a } } }',
      modern,
    );
    expect(circle).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: expect.any(String) } }] } });
    const large = await doors.dgs.call<GraphqlAnswer>('/graphql', {
      method: 'POST',
      json: { query: `{ __typename } # ${'x'.repeat(1_100_000)}` },
    });
    expect(large.status).toBe(413);
  });

  it.each([
    ['broken JSON', '{"query": ', 'application/json', 400],
    ['a list', '[{"query": "{ __typename }"}]', 'application/json', 400],
    ['no query', '{}', 'application/json', 400],
    [
      'a form, which a page of another site may send',
      'query=%7B__typename%7D',
      'application/x-www-form-urlencoded',
      415,
    ],
    ['plain text', '{"query": "{ __typename }"}', 'text/plain', 415],
  ])('refuses %s', async (_, text, type, status) => {
    const answer = await doors.dgs.call<GraphqlAnswer>('/graphql', {
      method: 'POST',
      headers: { 'content-type': type },
      text,
    });
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
    expectNoInternals(answer);
    expect(answer.body.errors?.[0]?.extensions.code).toMatch(/^[A-Z_]+$/);
  });

  it('can be introspected by the standard query, and tells the schema', async () => {
    const { getIntrospectionQuery, buildClientSchema } = await import('graphql');
    const introspection = await ask<Parameters<typeof buildClientSchema>[0]>(getIntrospectionQuery());
    const schema = buildClientSchema(introspection);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(
      expect.arrayContaining(['domains', 'domainVersions', 'zones', 'adaptors', 'dr_queried_1']),
    );
    for (const scalar of ['DateTime', 'Json', 'Long', 'Uuid']) expect(schema.getType(scalar)).toBeDefined();
    expect(schema.getType('dr_queried_1')).toBeDefined();
    expect(schema.getType('dr_queried_1_page')).toBeDefined();
    const served = requireStatus(await doors.dgs.call('/api/graphql-schema'), 200);
    expect(served.text).toContain('dr_queried_1');
  });

  it('shows record types to nobody who may not see their domains', async () => {
    const { dgs, root, service } = doors;
    const { clientId, clientSecret } = await createAdaptor(dgs, root, { name: 'Curious', capabilities: [] });
    const token = await getToken({ baseUrl: service.baseUrl, username: clientId, password: clientSecret });
    const { status, text } = await doorOf(service, token).graphql('{ __schema { types { name fields { name } } } }');
    expect(status).toBe(200);
    expect(text).not.toContain('dr_queried_1');
  });

  it('takes aliases, fragments, directives and variables on record types', async () => {
    const { dgs } = doors;
    const { domainName: name } = await createVersion(dgs, {
      name: uniqueName('fragments'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, address: { type: 'object', properties: { city: { type: 'string' } } } },
      drKeyProperties: ['id'],
    });
    for (const id of [1, 2, 3]) {
      requireStatus(await dgs.rest('POST', '/drs', { name, json: { id, address: { city: `c${id}` } } }), 201);
    }
    const field = `dr_${name}_1`;
    const query = `query ($size: Int!, $sort: String, $no: Boolean!) {
      one: ${field}(size: $size, sort: $sort) { ...p } other: ${field}(size: 1, page: 1, sort: "id") { ...p }
      domains(domainName: "${name}") @skip(if: $no) { page { size } } }
      fragment p on ${field}_page { __typename data { ...r } }
      fragment r on ${field} { key: id ... on ${field} { address { city @include(if: $no) } } }`;
    const variables = { size: 2, sort: '-id', no: true };
    expect(await eventually(() => ask(query, variables), { deadlineMs: 5000 })).toEqual({
      one: {
        __typename: `${field}_page`,
        data: [
          { key: 3, address: { city: 'c3' } },
          { key: 2, address: { city: 'c2' } },
        ],
      },
      other: { __typename: `${field}_page`, data: [{ key: 2, address: { city: 'c2' } }] },
    });
  });

  it('takes Long to the last digit, and no further', async () => {
    const query = (version: string) => `{ domainVersions(versionNumber: ${version}) { page { totalElements } } }`;
    expect(await ask(query('9223372036854775807'))).toEqual({ domainVersions: { page: { totalElements: 0 } } });
    const refused = await doors.dgs.graphql(query('9223372036854775808'));
    expect(refused.body.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const declared = 'query ($v: Long) { domainVersions(versionNumber: $v) { page { totalElements } } }';
    expect(await ask(declared, { v: 9_223_372_036_854_775_807n })).toEqual({
      domainVersions: { page: { totalElements: 0 } },
    });
    const beyond = await doors.dgs.graphql(declared, { v: 9_223_372_036_854_775_808n });
    expect(beyond.body.errors?.[0]?.extensions.code).not.toBe('INTERNAL');
    expect(beyond.body.errors).toHaveLength(1);
  });

  it('answers for a federated record that no adaptor holds', async () => {
    const { dgs } = doors;
    const { domainName: name } = await createVersion(dgs, {
      name: uniqueName('federated'),
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const { uuid } = requireStatus(await dgs.rest('POST', '/drs', { name, json: { id: 5, city: 'Ulm' } }), 201).body;
    const field = `dr_${name}_1`;
    const answer = await eventually(
      () =>
        ask<Record<string, unknown>>(`{ ${field} { data { city _dr { uuid status drKey } } page { totalElements } } }`),
      { deadlineMs: 5000 },
    );
    expect(answer[field]).toEqual({
      data: [{ city: null, _dr: { uuid, status: 'UNAVAILABLE', drKey: expect.stringMatching(/^\{"id":\s*5\}$/) } }],
      page: { totalElements: 1 },
    });
  });

  it('creates, changes and deletes by mutation', async () => {
    const { admin, root } = doors;
    const name = uniqueName('Zone');
    const created = await admin.graphql<{ createZone: Resource }>(
      'mutation ($input: ZoneInput!) { createZone(input: $input) { uuid name changeVersion parentZoneUuid } }',
      { input: { name, parentZoneUuid: root } },
    );
    const zone = created.body.data?.createZone;
    expect(zone).toMatchObject({ name, changeVersion: 1, parentZoneUuid: root });
    const zoneUuid = zone?.uuid;
    const patched = await admin.graphql<{ patchZone: Resource }>(
      'mutation ($z: Uuid!, $input: ZoneInput!) { patchZone(zoneUuid: $z, input: $input) { description changeVersion } }',
      { z: zoneUuid, input: { changeVersion: 1, description: 'patched' } },
    );
    expect(patched.body.data?.patchZone).toEqual({ description: 'patched', changeVersion: 2 });
    expect((await admin.rest('GET', `/zones/${zoneUuid}`)).body).toMatchObject({ description: 'patched' });
    await admin.graphql('mutation ($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: zoneUuid });
    expect((await admin.rest('GET', `/zones/${zoneUuid}`)).status).toBe(404);
  });

  it.each([
    ['plain', 'plain'],
    ['with-dashes-in-it', 'with_dashes_in_it'],
    ['Mixed-Case_name', 'Mixed_Case_name'],
  ])('answers for the records of a new domain %s soon after its 201', async (name, graphqlName) => {
    await createVersion(doors.dgs, {
      name,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, 'two-words': { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const field = `dr_${graphqlName}_1`;
    const query = `{ ${field} { data { id two_words _dr { uuid dateCreated drKey adaptors { uuid } status } } page { totalElements } } }`;
    // promised within a second; a loaded machine is given more
    await eventually(() => ask(query), { deadlineMs: 5000, intervalMs: 20 });
    const json = { name, json: { id: 'a', 'two-words': 'here' } };
    const record = requireStatus(await doors.dgs.rest('POST', '/drs', json), 201).body;
    const answer = await ask<Record<string, { data: Record<string, unknown>[] }>>(query);
    expect(answer[field]?.data).toEqual([
      {
        id: 'a',
        two_words: 'here',
        _dr: {
          uuid: record.uuid,
          dateCreated: expect.any(String),
          drKey: expect.stringMatching(/^\{"id":\s*"a"\}$/),
          adaptors: [],
          status: null,
        },
      },
    ]);
  });

  it('knows a second version beside the first, and a changed one', async () => {
    const { dgs } = doors;
    const created = await createVersion(dgs, {
      name: uniqueName('versioned'),
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const modelSchema = { properties: { code: { type: 'string' } } };
    const path = `/domains/${created.domainUuid}/versions`;
    requireStatus(await dgs.rest('POST', path, { modelSchema, drKeyProperties: ['code'] }), 201);
    const [first, second] = [`dr_${created.domainName}_1`, `dr_${created.domainName}_2`];
    const together = `{ ${first} { data { id } } ${second} { data { code } } }`;
    await eventually(() => ask(together), { deadlineMs: 5000, intervalMs: 20 });
    const json = { changeVersion: 1, modelSchema: { properties: { added: { type: 'long' } } } };
    requireStatus(await dgs.rest('PATCH', `${path}/${created.domainVersionUuid}`, json), 200);
    await eventually(() => ask(`{ ${first} { data { id added } } }`), { deadlineMs: 5000, intervalMs: 20 });
  });

  it('gives record fields the types of the model and the arguments of the specification', async () => {
    const { dgs } = doors;
    const name = uniqueName('typed');
    const properties = {
      id: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      on: { type: 'boolean' },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
      phones: { type: 'array', items: { type: 'object', properties: { number: { type: 'string' } } } },
    };
    const drKeyProperties = ['id'];
    await createVersion(dgs, { name, domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    await createVersion(dgs, { name: `${name}f`, domainType: 'FEDERATED', properties, drKeyProperties });
    await eventually(() => ask(`{ dr_${name}_1 { data { id } } dr_${name}f_1 { page { size } } }`), {
      deadlineMs: 5000,
    });
    const fields = await fieldsOf(`dr_${name}_1`);
    const given = Object.fromEntries([...fields].map(([field, { type }]) => [field, typeText(type).replace(/!$/, '')]));
    expect(given).toMatchObject({
      id: 'String',
      count: 'Long',
      ratio: 'Float',
      on: 'Boolean',
      day: 'String',
      at: 'DateTime',
      address: `dr_${name}_1__address`,
      phones: expect.stringMatching(new RegExp(`^\\[dr_${name}_1__phones!?\\]$`)),
    });
    const queries = await fieldsOf('Query');
    const args = (field: string) => queries.get(field)?.args.map((arg) => arg.name) ?? [];
    expect(args(`dr_${name}_1`)).toEqual(expect.arrayContaining(['page', 'size', 'query', 'sort']));
    expect(args(`dr_${name}f_1`)).toEqual(
      expect.arrayContaining(['page', 'size', 'query', 'sort', 'zoneUuid', 'drUuids', 'additionalParameters']),
    );
  });

  it('shows a browser GraphiQL, all of it from here', async () => {
    const page = await expectLocalPage(doors.anyone, '/graphql', {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    });
    expect(page.toLowerCase()).toContain('graphiql');
  });
});
