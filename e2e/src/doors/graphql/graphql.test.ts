import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { askGraphql, fieldsOf } from '../ask-graphql.js';
import { expectLocalPage } from '../expect-local-page.js';
import { expectNoInternals } from '../expect-problem.js';
import type { GraphqlAnswer, Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { predefined, types, typeText } from '../specified-schema.js';
import { nobody, uniqueName } from '../unique-name.js';

describe('the GraphQL door', () => {
  const { doors } = setUpDoors();
  let domainName: string;
  let domainUuid: string;
  let domainVersionUuid: string;

  beforeAll(async () => {
    ({ domainName, domainUuid, domainVersionUuid } = await createVersion(doors.dgs, {
      name: 'queried',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    }));
  }, 120_000);

  const ask = <Data>(query: string, variables?: Record<string, unknown>): Promise<Data> =>
    askGraphql<Data>(doors.dgs, query, variables);

  /**
   * A media type of GraphQL over HTTP. Its status shows refused requests; with `application/json` the status does not.
   */
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

  it('refuses changes by GET', async () => {
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
    const field = (await fieldsOf(doors.dgs, 'Query')).get(name);
    expect(field && typeText(field.type)).toBe(`${type}!`);
    const given = Object.fromEntries((field?.args ?? []).map((arg) => [arg.name, typeText(arg.type)]));
    expect(given).toMatchObject({ ...wanted, page: 'Int', size: 'Int' });
    const defaults = Object.fromEntries((field?.args ?? []).map((arg) => [arg.name, arg.defaultValue]));
    expect(defaults).toMatchObject({ page: '0', size: '50' });
  });

  it.each(types)('has the type %s of the specification', async (type, wanted) => {
    const fields = await fieldsOf(doors.dgs, type);
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

  it('returns the same time as REST', async () => {
    const { body } = await doors.dgs.rest<{ dateCreated: number }>('GET', `/domains/${domainUuid}`);
    const { domain } = await ask<{ domain: { dateCreated: string } }>(
      `{ domain(domainUuid: "${domainUuid}") { dateCreated } }`,
    );
    expect(Date.parse(domain.dateCreated)).toBe(body.dateCreated);
  });

  it.each([
    ['a document that is not valid', '{ domains { data ', 'GRAPHQL_PARSE_FAILED', 400],
    ['an unknown field', '{ colours }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['an unknown record type', '{ dr_nowhere_1 { data { id } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['an unknown argument', '{ domains(colour: 1) { data { uuid } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['a value of another type', '{ domains(page: "one") { data { uuid } } }', 'GRAPHQL_VALIDATION_FAILED', 400],
    ['no such resource', `{ domain(domainUuid: "${nobody}") { uuid } }`, 'NOT_FOUND', 200],
    ['a page below 0', '{ domains(page: -1) { data { uuid } } }', 'INVALID_PARAMETER', 200],
    ['a size of 0', '{ domains(size: 0) { data { uuid } } }', 'INVALID_PARAMETER', 200],
    ['a size of 1001', '{ dr_queried_1(size: 1001) { data { id } } }', 'INVALID_PARAMETER', 200],
    ['an unknown sort key', '{ dr_queried_1(sort: "colour") { data { id } } }', 'INVALID_PARAMETER', 200],
    ['an invalid uuid', '{ domains(domainUuid: "x") { data { uuid } } }', undefined, undefined],
    ['a NUL character', '{ domains(domainName: "a\\u0000b") { data { uuid } } }', undefined, undefined],
  ])('reports %s by a code', async (_, query, code, status) => {
    const answer = await askRaw(query, modern);
    expectNoInternals(answer);
    expect(answer.status).toBeLessThan(500);
    const [error] = answer.body.errors ?? [];
    // a request with NUL may also find nothing
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
  ])('refuses %s before execution', async (_, query) => {
    const { body, status } = await askRaw(query, modern);
    expect(body.data ?? null).toBeNull();
    expect(body.errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
    expect(status).toBe(400);
  });

  it('accepts a depth of 13 and 50 aliases', async () => {
    await ask(deep(13));
    await ask(`{ ${Array.from({ length: 50 }, (_, n) => `a${n}: __typename`).join(' ')} }`);
  });

  it('refuses cyclic fragments, and a body above 1 MB', async () => {
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

  it('allows no other method', async () => {
    const answer = await doors.dgs.call('/graphql', { method: 'PUT', json: { query: '{ __typename }' } });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toMatch(/GET.*POST|POST.*GET/);
  });

  it('can be introspected by the standard query, and returns the schema', async () => {
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

  it('accepts Long up to its limits, and nothing beyond them', async () => {
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

  it('shows GraphiQL to a browser, loaded only from the service', async () => {
    const page = await expectLocalPage(doors.anyone, '/graphql', {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    });
    expect(page.toLowerCase()).toContain('graphiql');
  });
});
