import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import { doorOf, type Door, type Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { lintDocument } from './clients/lint-document.js';
import { runClient } from './clients/run-client.js';

interface Account extends Resource {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A program of a client developer who only knows the API document. */
const plainClient = `
  import createClient from 'openapi-fetch';
  import type { components, paths } from './api.js';

  const { BASE_URL: baseUrl = '', TOKEN: token = '' } = process.env;
  const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

  const model: components['schemas']['ModelSchemaInput'] = {
    properties: { id: { type: 'integer' }, owner: { $ref: '/domains/plain-client:v1' } },
    required: ['id'],
  };
  const domain = await api.POST('/domains', { body: { name: 'posted-by-client' } });
  if (domain.error) throw new Error(domain.error.code);
  const version = await api.POST('/domains/{domainUuid}/versions', {
    params: { path: { domainUuid: domain.data.uuid } },
    body: { modelSchema: model, drKeyProperties: ['id'], matchingAlgorithm: { type: 'EXACT' } },
  });
  if (version.error) throw new Error(version.error.code);
  const owner = version.data.modelSchema?.properties['owner']?.['$ref'];

  const created = await api.POST('/drs', { body: { name: 'plain-client', json: { id: 1, name: 'Ada' } } });
  if (created.error) throw new Error(created.error.code);
  const drUuid = created.data.uuid;
  const patched = await api.PATCH('/drs/{drUuid}', { params: { path: { drUuid } }, body: { name: 'Ada Lovelace' } });
  const name: unknown = patched.data?.json?.name;

  const listed = await api.GET('/drs', { params: { query: { filters: 'name:plain-client' } } });
  const key: string | number | boolean | null | undefined = listed.data?.drs[0]?.drKey['id'];

  const types = await api.GET('/adaptor-types', {});
  const actions = types.data?.adaptorTypes.flatMap((type) => type.defaultCapabilities ?? []).map(({ action }) => action);
  const type = await api.POST('/adaptor-types', {
    body: { name: 'of a client', defaultCapabilities: [{ domainName: 'plain-client', versionNumber: 1, action: 'GET' }] },
  });
  const capability: 'POST' | 'PUT' | 'DELETE' | 'GET' | undefined = type.data?.defaultCapabilities?.[0]?.action;

  const assembly = createClient<paths, 'application/json' | 'application/problem+json'>({
    baseUrl: process.env['ASSEMBLY_URL'] ?? '',
    headers: { authorization: \`Bearer \${token}\` },
  });
  const assembled = await assembly.POST('/request', {
    body: { domain: 'plain-client', drKeys: [{ id: 1 }], zoneUuid: process.env['ZONE_UUID'] ?? '' },
  });
  if (assembled.error) throw new Error(assembled.error.code);
  const asked = assembled.data.virtualizationRequest.drKeys?.[0]?.['id'];
  const [record] = assembled.data.assembledDataRecords;
  const merged: unknown = record?.data['name'];
  const found: string | number | boolean | null | undefined = record?.drKey?.['id'];
  const patch: components['schemas']['AssemblyPatchLine']['patch'] = { data: { name: null } };

  const description = await api.GET('/openapi.json', {});
  const documented: string | undefined = description.data?.openapi;
  const introspection = await api.GET('/graphql-schema', { headers: { accept: 'application/json' } });
  const listedTypes = typeof introspection.data === 'object' ? introspection.data.data.__schema['types'] : undefined;
  console.log(
    JSON.stringify({
      owner, name, key, actions: Array.isArray(actions), capability,
      asked, merged, found, patch, openapi: documented, types: Array.isArray(listedTypes),
    }),
  );
`;

/** A program of a client developer who only knows the document of the records of two domains. */
const domainsClient = `
  import createClient from 'openapi-fetch';
  import type { components, paths } from './api.js';

  const { BASE_URL: baseUrl = '', TOKEN: token = '' } = process.env;
  const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
  type Person = components['schemas']['dr_typed_person_1'];

  const created = await api.POST('/drs', {
    body: { name: 'typed-person', json: { email: 'ada@example.org', name: 'Ada', level: 'HIGH', address: { city: 'London' } } },
  });
  if (created.error) throw new Error(created.error.code);
  const drUuid = created.data.uuid;
  await api.POST('/drs', { body: { name: 'typed-order', json: { number: 7, buyer: 'ada@example.org' } } });
  await api.PATCH('/drs/{drUuid}', { params: { path: { drUuid } }, body: { age: 36, address: null } });

  const listed = await api.GET('/drs', { params: { query: { filters: 'name:typed-person,version:1' } } });
  const [person] = listed.data?.drs ?? [];
  if (person === undefined || !('json' in person) || !('email' in person.json)) throw new Error('no person');
  const data: Person = person.json;
  const name: string = data.name;
  const level: 'LOW' | 'HIGH' | null | undefined = data.level;
  const age: number | null | undefined = data.age;
  const city: string | null | undefined = data.address?.city;
  const key: string | null = 'email' in person.drKey ? person.drKey.email : null;

  const orders = await api.GET('/drs', { params: { query: { filters: 'name:typed-order' } } });
  const [order] = orders.data?.drs ?? [];
  if (order === undefined || !('json' in order) || !('number' in order.json)) throw new Error('no order');
  const buyer: unknown = order.json.buyer?.name;

  const assembly = createClient<paths, 'application/json' | 'application/problem+json'>({
    baseUrl: process.env['ASSEMBLY_URL'] ?? '',
    headers: { authorization: \`Bearer \${token}\` },
  });
  const assembled = await assembly.POST('/request', {
    body: {
      domain: 'typed-person',
      drKeys: [{ email: 'ada@example.org' }],
      zoneUuid: process.env['ZONE_UUID'] ?? '',
    },
  });
  const [record] = assembled.data?.assembledDataRecords ?? [];
  if (record === undefined || !('email' in record.data)) throw new Error('no person assembled');
  const merged: string | null | undefined = record.data.name;
  const patch: components['schemas']['dr_typed_person_1_assembled_patch'] = { data: { age: null } };
  console.log(JSON.stringify({ name, level, age, city: city ?? null, key, buyer, merged, patch }));
`;

/** A program that the compiler must refuse: a property that is not in the model, and a value of another type. */
const wrongClient = `
  import type { components } from './api.js';
  type Input = components['schemas']['dr_typed_person_1_input'];
  const misspelt: Input = { name: 'typed-person', json: { email: 'a@example.org', name: 'A', nmae: 'B' } };
  const mistyped: Input = { name: 'typed-person', json: { email: 'a@example.org', name: 'A', age: 'old' } };
  console.log(misspelt, mistyped);
`;

describe('clients that are generated from the OpenAPI document', () => {
  const { doors } = shareDoors();

  const documentAt = async (path: string): Promise<string> =>
    requireStatus(await doors.dgs.call<unknown>(path, { headers: { accept: 'application/json' } }), 200).text;

  const environment = () => ({
    BASE_URL: `${doors.service.baseUrl}/api`,
    ASSEMBLY_URL: doors.service.assemblyUrl,
    TOKEN: doors.dgs.token ?? '',
    ZONE_UUID: doors.root,
  });

  /** The door of a service account that may read the resources at a path. */
  const createReader = async (resource: string): Promise<Door> => {
    const { admin, root, service } = doors;
    const account = { username: 'openapi-reader', serviceAccount: true };
    const { body } = requireStatus(await admin.rest<Account>('POST', `/zones/${root}/users`, account), 201);
    const grant = { action: 'GET', resource, holderType: 'USER', holderUuid: body.uuid };
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, grant), 201);
    const { clientId: username, clientSecret: password } = body;
    return doorOf(service, await getToken({ baseUrl: service.baseUrl, username, password }));
  };

  beforeAll(async () => {
    await createVersion(doors.dgs, {
      name: 'plain-client',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
  });

  it('have a document without faults by the rules of Redocly', async () => {
    expect(await lintDocument(await documentAt('/api/openapi.json'))).toEqual([]);
  });

  it('have no type name with a number instead of a meaning', async () => {
    const { components } = JSON.parse(await documentAt('/api/openapi.json')) as { components: { schemas: object } };
    expect(Object.keys(components.schemas).filter((name) => /\d$/.test(name))).toEqual([]);
  });

  it('compile strictly, and read records, models and capabilities with their types', async () => {
    const document = await documentAt('/api/openapi.json');
    const printed = await runClient({ document, source: plainClient, environment: environment() });
    expect(JSON.parse(printed)).toEqual({
      owner: '/domains/plain-client:v1',
      name: 'Ada Lovelace',
      key: 1,
      actions: true,
      capability: 'GET',
      asked: 1,
      merged: 'Ada Lovelace',
      found: 1,
      patch: { data: { name: null } },
      openapi: '3.1.0',
      types: true,
    });
  }, 60_000);

  describe('for the records of domains', () => {
    beforeAll(async () => {
      await createVersion(doors.dgs, {
        name: 'typed-person',
        domainType: 'SERVICE_DATA_STORE',
        properties: {
          email: { type: 'string', format: 'email', required: true },
          name: { type: 'string', required: true },
          age: { type: 'integer', minimum: 0, maximum: 9223372036854775807n },
          level: { type: 'string', enum: ['LOW', 'HIGH'] },
          address: { type: 'object', properties: { city: { type: 'string' } } },
        },
        drKeyProperties: ['email'],
      });
      await createVersion(doors.dgs, {
        name: 'typed-order',
        domainType: 'SERVICE_DATA_STORE',
        properties: { number: { type: 'integer' }, buyer: { $ref: '/domains/typed-person:v1' } },
        drKeyProperties: ['number'],
      });
      await createVersion(doors.dgs, {
        name: 'typed-source',
        domainType: 'FEDERATED',
        properties: { code: { type: 'string' }, label: { type: 'string', pattern: '^[A-Z]+$' } },
        drKeyProperties: ['code'],
      });
    });

    it('compile strictly and read real records with the properties of their models', async () => {
      const document = await documentAt('/api/openapi.json?domains=typed-person,typed-order');
      const printed = await runClient({ document, source: domainsClient, environment: environment() });
      expect(JSON.parse(printed)).toEqual({
        name: 'Ada',
        level: 'HIGH',
        age: 36,
        city: null,
        key: 'ada@example.org',
        buyer: 'Ada',
        merged: 'Ada',
        patch: { data: { age: null } },
      });
      const refused = runClient({ document, source: wrongClient, environment: environment() });
      await expect(refused).rejects.toThrow(/'nmae' does not exist[\s\S]*'string' is not assignable to type 'number/);
    }, 60_000);

    it('have documents without faults by the rules of Redocly, also for federated domains', async () => {
      expect(await lintDocument(await documentAt('/api/openapi.json?domains=typed-source'))).toEqual([]);
      const all = '/api/openapi.json?domains=Typed-Person,typed-order,typed-source';
      expect(await lintDocument(await documentAt(all))).toEqual([]);
    });

    it('have the exact limits of a model, and a link to an example query', async () => {
      const document = await documentAt('/api/openapi.json?domains=typed-person');
      expect(document).toContain('"maximum":9223372036854775807');
      const { components } = JSON.parse(document) as { components: { schemas: Record<string, object> } };
      expect(components.schemas['dr_typed_person_1']).toMatchObject({
        externalDocs: { url: `${doors.service.baseUrl}/graphql?recordType=dr_typed_person_1` },
      });
    });

    it('contain no domain that their caller may not see', async () => {
      const { domainUuid } = await createVersion(doors.dgs, {
        name: 'typed-hidden',
        domainType: 'SERVICE_DATA_STORE',
        properties: { id: { type: 'string' }, secret: { type: 'string' } },
        drKeyProperties: ['id'],
      });
      const seen = requireStatus(
        await doors.dgs.rest<{ domains: Resource[] }>('GET', '/domains?filters=name:typed-person'),
        200,
      );
      const reader = await createReader(`/domains/${seen.body.domains[0]?.uuid}/*`);
      const one = await reader.call<object>('/api/openapi.json?domains=typed-person');
      expect(requireStatus(one, 200).text).toContain('dr_typed_person_1_record');
      const hidden = await reader.call<{ code: string; detail: string }>('/api/openapi.json?domains=typed-hidden');
      const unknown = await reader.call<{ code: string; detail: string }>('/api/openapi.json?domains=typed-nothing');
      expect([hidden.status, hidden.body.code, unknown.status]).toEqual([404, 'NOT_FOUND', 404]);
      expect(hidden.body.detail.replace('hidden', 'nothing')).toBe(unknown.body.detail);
      expect(domainUuid).toBeTruthy();
    });

    it('get an error for each invalid request', async () => {
      const ask = async (query: string, door = doors.dgs) => {
        const { status, body } = await door.call<{ code: string }>(`/api/openapi.json${query}`);
        return [status, body.code];
      };
      expect(await ask('?domains=typed-person', doors.anyone)).toEqual([401, 'UNAUTHENTICATED']);
      expect(await ask('?domains=')).toEqual([400, 'INVALID_PARAMETER']);
      expect(await ask(`?domains=${Array.from({ length: 21 }, (_, n) => `d${n}`).join(',')}`)).toEqual([
        400,
        'INVALID_PARAMETER',
      ]);
      expect(await ask('?domain=typed-person')).toEqual([400, 'INVALID_PARAMETER']);
    });
  });
});
