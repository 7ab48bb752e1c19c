import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { parseJson, type JsonObject } from '@fds/json';
import type { Grant } from '@fds/permissions';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { authorization, baseUrl, openFacade, type RootFields } from './testing/open-facade.js';

const uuid = '019a5d2e-0000-7000-8000-00000000000a';
const other = '019a5d2e-0000-7000-8000-00000000000b';
const time = new Date(1_700_000_000_123);

const zone = {
  uuid,
  zoneUuid: uuid,
  name: 'Root',
  active: true,
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 9007199254740993n,
};
const version = {
  uuid: other,
  versionNumber: 1,
  drKeyProperties: ['id'],
  modelSchema: { properties: { id: { type: 'integer', maximum: 9223372036854775807n } } },
  matchingAlgorithm: { type: 'EXACT', definition: { type: 'EXACT' } },
  active: true,
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 1,
};
const adaptor = {
  uuid: other,
  name: 'crm',
  adaptorTypeUuid: uuid,
  adaptorType: { uuid, name: 'default', dateCreated: time, lastUpdated: time, changeVersion: 1 },
  zoneUuid: uuid,
  state: 'STARTED',
  discoveryMode: false,
  active: true,
  capabilities: [{ domainName: 'person', versionNumber: 1, action: 'POST', direction: null }],
  metadata: { big: 9223372036854775807n, nothing: null },
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 3,
  linkageCount: 5,
};
const pageOf = (args: { page?: number; size?: number }, totalElements: number) => {
  const { page = 0, size = 50 } = args;
  return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
};

let server: FastifyInstance | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: JsonObject;
}

const ask = async (fields: RootFields, request: InjectOptions, grants?: readonly Grant[]): Promise<Answer> => {
  server = await openFacade(fields, grants);
  const response = await server.inject({ ...request, headers: { authorization, ...request.headers } });
  const text = response.body;
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: (text.startsWith('{') ? parseJson(text) : {}) as JsonObject,
  };
};

/** Root fields that keep the arguments they were given. */
const recording = (name: string, result: unknown): { fields: RootFields; args: Record<string, unknown>[] } => {
  const args: Record<string, unknown>[] = [];
  return {
    args,
    fields: {
      [name]: (given) => {
        args.push(given);
        return result;
      },
    },
  };
};

const json = (method: 'POST' | 'PUT' | 'PATCH', url: string, payload: string): InjectOptions => ({
  method,
  url,
  payload,
  headers: { 'content-type': 'application/json' },
});

describe('reading', () => {
  it('shows times as epoch milliseconds, 64-bit integers exactly, and nulls', async () => {
    const { status, headers, json: body } = await ask({ zone: () => zone }, { url: `/api/zones/${uuid}` });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      uuid,
      zoneUuid: uuid,
      name: 'Root',
      description: null,
      parentZoneUuid: null,
      geoCoordinates: null,
      active: true,
      createdByUuid: null,
      dateCreated: 1_700_000_000_123,
      lastUpdated: 1_700_000_000_123,
      changeVersion: 9007199254740993n,
    });
  });

  it('shows Json natively, and a lifted member in the place of its object', async () => {
    const { json: body } = await ask({ domainVersion: () => version }, { url: `/api/domains/versions/${other}` });
    expect(body['modelSchema']).toEqual(version.modelSchema);
    expect(body['matchingAlgorithm']).toEqual({ type: 'EXACT' });
  });

  it('leaves out what an option has not asked for', async () => {
    const url = `/api/zones/${uuid}/adaptors/${other}`;
    const without = await ask({ adaptor: () => adaptor }, { url });
    expect(without.json).not.toHaveProperty('linkageCount');
    await server?.close();
    const asked = await ask({ adaptor: () => adaptor }, { url: `${url}?options=include-linkages:true` });
    expect(asked.json['linkageCount']).toBe(5);
  });

  it('keeps only the fields asked for, below Json too', async () => {
    const url = `/api/zones/${uuid}/adaptors/${other}?fields=name,adaptorType.name,metadata.big,capabilities.action`;
    const { json: body } = await ask({ adaptor: () => adaptor }, { url });
    expect(body).toEqual({
      name: 'crm',
      adaptorType: { name: 'default' },
      capabilities: [{ action: 'POST' }],
      metadata: { big: 9223372036854775807n },
    });
  });

  it('is 404 for what is no UUID and for what the server does not know', async () => {
    const unknown = await ask({ zone: () => null }, { url: '/api/zones/nonsense' });
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'NOT_FOUND']);
    await server?.close();
    const missing = await ask(
      {
        zone: () => {
          throw new AppError('NOT_FOUND', 'no such zone');
        },
      },
      { url: `/api/zones/${uuid}` },
    );
    expect([missing.status, missing.json['code'], missing.json['detail']]).toEqual([404, 'NOT_FOUND', 'no such zone']);
  });
});

describe('lists', () => {
  it('carry collection, links and page, and hand on every parameter', async () => {
    const args: unknown[] = [];
    const fields: RootFields = {
      zones: (given) => {
        args.push(given);
        return { data: [zone], page: pageOf(given, 25) };
      },
    };
    const url = '/api/zones?filters=name:%22a,b%22,active:true&size=10&page=1&sort=-name&fields=name';
    const { json: body } = await ask(fields, { url });
    expect(args).toEqual([{ zoneName: 'a,b', active: true, page: 1, size: 10, sort: '-name' }]);
    const rest = 'filters=name:%22a,b%22,active:true&size=10&sort=-name&fields=name';
    expect(body).toEqual({
      zones: [{ name: 'Root' }],
      _links: {
        self: `${baseUrl}${url}`,
        first: `${baseUrl}/api/zones?${rest}&page=0`,
        last: `${baseUrl}/api/zones?${rest}&page=2`,
        next: `${baseUrl}/api/zones?${rest}&page=2`,
        prev: `${baseUrl}/api/zones?${rest}&page=0`,
      },
      _page: { page: 1, size: 10, totalElements: 25, totalPages: 3 },
    });
  });

  it.each([
    ['', 0],
    ['?filters=version:0', 0],
    ['?filters=version:7', 7],
    ['?size=50', undefined],
  ])('of versions of a domain with the query string "%s" ask for version %p', async (query, versionNumber) => {
    const args: { versionNumber?: number }[] = [];
    const fields: RootFields = {
      domain: () => ({ uuid }),
      domainVersions: (given) => {
        args.push(given);
        return { data: [version], page: pageOf(given, 1) };
      },
    };
    const { status } = await ask(fields, { url: `/api/domains/${uuid}/versions${query}` });
    expect([status, args[0]?.versionNumber]).toEqual([200, versionNumber]);
  });

  it('of versions of an unknown domain are 404', async () => {
    const fields: RootFields = {
      domain: () => {
        throw new AppError('NOT_FOUND', 'no such domain');
      },
      domainVersions: (given) => ({ data: [], page: pageOf(given, 0) }),
    };
    expect((await ask(fields, { url: `/api/domains/${uuid}/versions` })).status).toBe(404);
  });

  it('refuse every bad parameter at once', async () => {
    const url = `/api/zones?page=-1&size=1001&filters=colour:red,active:maybe,name:a,name:b&sort=size&fields=nope&x=1`;
    const { status, json: body } = await ask({}, { url });
    expect([status, body['code']]).toEqual([400, 'INVALID_PARAMETER']);
    expect((body['errors'] as JsonObject[]).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['page', 'OUT_OF_RANGE'],
      ['size', 'OUT_OF_RANGE'],
      ['filters', 'UNKNOWN_FILTER'],
      ['filters.active', 'WRONG_VALUE'],
      ['filters', 'DUPLICATE'],
      ['sort', 'UNKNOWN_SORT'],
      ['fields', 'UNKNOWN_FIELD'],
      ['x', 'UNKNOWN_PARAMETER'],
    ]);
    expect(body['detail']).toContain('allowed: name, zone-uuid, parent-zone-uuid, active');
  });

  it('of data records take uuids, a key, a search expression and any sort', async () => {
    const { args, fields } = recording('dataRecords', { data: [], page: pageOf({ size: 10 }, 0) });
    const url = `/api/drs?filters=name:person,version:2,dr-uuids:${uuid}:${other},dr-key:id=%22a:b%22,exclude-adaptors:true&query=id:1&sort=-id`;
    const { json: body } = await ask(fields, { url });
    expect(args).toEqual([
      {
        domainName: 'person',
        versionNumber: 2,
        drUuids: [uuid, other],
        drKey: 'id=a:b',
        excludeAdaptors: true,
        query: 'id:1',
        sort: '-id',
        page: 0,
        size: 10,
      },
    ]);
    expect(body['_page']).toEqual({ page: 0, size: 10, totalElements: 0, totalPages: 0 });
  });
});

describe('writing', () => {
  it('creates with 201 and a location', async () => {
    const { args, fields } = recording('createDomain', { ...zone, domainType: 'FEDERATED', versions: [] });
    const { status, headers } = await ask(fields, json('POST', '/api/domains', '{"name":"person"}'));
    expect([status, headers['location']]).toEqual([201, `${baseUrl}/api/domains/${uuid}`]);
    expect(args).toEqual([{ input: { name: 'person' } }]);
  });

  it('answers a created adaptor with its credentials beside its members', async () => {
    const fields: RootFields = { createAdaptor: () => ({ adaptor, clientId: other, clientSecret: 's' }) };
    const { headers, json: body } = await ask(fields, json('POST', `/api/zones/${uuid}/adaptors`, '{"name":"crm"}'));
    expect(headers['location']).toBe(`${baseUrl}/api/zones/${uuid}/adaptors/${other}`);
    expect(body).toMatchObject({ uuid: other, name: 'crm', clientId: other, clientSecret: 's' });
  });

  it('takes back what was GOT, and ignores what only the server sets', async () => {
    const got = await ask(
      { adaptor: () => adaptor },
      { url: `/api/zones/${uuid}/adaptors/${other}?options=include-linkages:true` },
    );
    await server?.close();
    const { args, fields } = recording('replaceAdaptor', adaptor);
    const { status } = await ask(fields, json('PUT', `/api/zones/${uuid}/adaptors/${other}`, got.text));
    expect(status).toBe(200);
    expect(args).toEqual([
      {
        zoneUuid: uuid,
        adaptorUuid: other,
        input: {
          name: 'crm',
          description: null,
          adaptorTypeUuid: uuid,
          discoveryMode: false,
          active: true,
          capabilities: adaptor.capabilities,
          metadata: adaptor.metadata,
          changeVersion: 3,
        },
      },
    ]);
  });

  it('hands on 64-bit integers exactly and PATCH nulls as nulls', async () => {
    const { args, fields } = recording('createDataRecord', {
      uuid,
      domainVersionUuid: other,
      dateCreated: time,
      drKey: { id: 9223372036854775807n },
      json: { id: 9223372036854775807n },
    });
    const { text } = await ask(
      fields,
      json('POST', '/api/drs', '{"name":"p","json":{"id":9223372036854775807,"x":null}}'),
    );
    expect(args).toEqual([{ input: { name: 'p', json: { id: 9223372036854775807n, x: null } } }]);
    expect(text).toContain('"json":{"id":9223372036854775807}');
  });

  it('names every unknown, missing and mistyped member', async () => {
    const body = '{"name":1,"colour":"red","domain":{"name":7,"uid":1},"drKeyProperties":["a",2],"changeVersion":1.5}';
    const { status, json: problem } = await ask({}, json('PUT', `/api/domains/versions/${uuid}`, body));
    expect([status, problem['code']]).toEqual([400, 'VALIDATION_FAILED']);
    expect((problem['errors'] as JsonObject[]).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/name', 'UNKNOWN_MEMBER'],
      ['/colour', 'UNKNOWN_MEMBER'],
      ['/domain/name', 'WRONG_TYPE'],
      ['/domain/uid', 'UNKNOWN_MEMBER'],
      ['/drKeyProperties/1', 'WRONG_TYPE'],
      ['/changeVersion', 'WRONG_TYPE'],
    ]);
  });

  it('validates only, with 200', async () => {
    const errors = [{ pointer: '/drKeyProperties', code: 'REQUIRED', detail: 'drKeyProperties is required' }];
    const fields: RootFields = { createDomainVersion: () => ({ domainVersion: null, errors }) };
    const url = `/api/domains/${uuid}/versions?validate-only=true`;
    const { status, json: body } = await ask(fields, json('POST', url, '{"modelSchema":{}}'));
    expect(status).toBe(200);
    expect(body).toEqual({ errors });
  });

  it('adds one ACL entry or several, and answers alike', async () => {
    const entry = { ...zone, position: 0, properties: null };
    const fields: RootFields = { createInboundAcls: () => [entry] };
    const url = `/api/zones/${uuid}/inbound-acls?append=true`;
    const one = await ask(fields, json('POST', url, '{"get":"DENY"}'));
    expect([one.status, one.headers['location'], one.json['uuid']]).toEqual([
      201,
      `${baseUrl}/api/zones/${uuid}/inbound-acls/${uuid}`,
      uuid,
    ]);
    await server?.close();
    const several = await ask(fields, json('POST', url, '[{"get":"DENY"}]'));
    expect([several.status, several.headers['location']]).toEqual([201, undefined]);
    expect(several.json['inboundAcls']).toHaveLength(1);
  });

  it('deletes with 204 and no body', async () => {
    const { args, fields } = recording('deleteAdaptor', true);
    const url = `/api/zones/${uuid}/adaptors/${other}?force=true`;
    const { status, text } = await ask(fields, { method: 'DELETE', url });
    expect([status, text]).toEqual([204, '']);
    expect(args).toEqual([{ zoneUuid: uuid, adaptorUuid: other, force: true }]);
  });
});

describe('the API about itself', () => {
  it('tells the token with what the server knows of its holder', async () => {
    const { json: body } = await ask(
      { caller: () => ({ sub: uuid, username: 'admin', zones: [] }) },
      { url: '/api/token' },
    );
    expect(body).toEqual({
      active: true,
      clientId: 'admin',
      issuer: baseUrl,
      issuedAt: 1_000_000,
      expiresAt: 4_600_000,
      scope: 'api',
      sub: uuid,
      username: 'admin',
      ssoId: null,
      zones: [],
      adaptorUuid: null,
    });
  });

  it('shows the GraphQL schema as text, and as JSON where that is asked for', async () => {
    const { headers, text } = await ask({}, { url: '/api/graphql-schema' });
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('type Zone {');
    await server?.close();
    const introspection = await ask({}, { url: '/api/graphql-schema', headers: { accept: 'application/json' } });
    expect(introspection.json['data']).toHaveProperty('__schema');
  });

  it('lists every endpoint with its permission', async () => {
    const { json: body } = await ask({}, { url: '/api/endpoints' });
    expect(body['endpoints']).toContainEqual(
      expect.objectContaining({
        method: 'PUT',
        path: '/zones/{zoneUuid}',
        permission: { action: 'PUT', resource: '/zones/{zoneUuid}' },
      }),
    );
  });

  it('shows the documentation without a token and without the network', async () => {
    server = await openFacade({});
    const page = await server.inject({ url: '/docs/' });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/(?:src|href)="https?:/);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await server.inject({ url: '/docs/json' })).json()).toHaveProperty('openapi', '3.1.0');
    expect((await server.inject({ url: '/docs/errors' })).body).toContain('id="STALE_CHANGE_VERSION"');
  });
});
