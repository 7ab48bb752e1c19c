import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { openCatalog, principalWith, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog?.close());

const fieldsOf = (root: 'Query' | 'Mutation'): GraphQLField<unknown, unknown>[] => {
  const type = catalog.subgraph.schema.getType(root);
  return isObjectType(type) ? Object.values(type.getFields()) : [];
};
const rootFields = (): GraphQLField<unknown, unknown>[] => [...fieldsOf('Query'), ...fieldsOf('Mutation')];

/** A literal with the required members of the type only. */
const literalOf = (type: GraphQLInputType): string => {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return '"00000000-0000-7000-8000-000000000000"';
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return `{${required.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')}}`;
};

describe('access', () => {
  it('every root field declares the access that it requires', () => {
    const open = rootFields().filter(({ name, resolve }) => !name.startsWith('_') && !(resolve && 'access' in resolve));
    expect(open.map((field) => field.name)).toEqual([]);
  });

  it('a caller without grants gets nothing from any root field', async () => {
    const nobody = principalWith([]);
    for (const { name, args, type } of rootFields().filter((field) => !field.name.startsWith('_'))) {
      const required = args.filter((arg) => isNonNullType(arg.type));
      const list = required.map((arg) => `${arg.name}: ${literalOf(arg.type)}`).join(', ');
      const scalar = String(type) === 'Boolean!';
      const operation = fieldsOf('Mutation').some((field) => field.name === name) ? 'mutation' : 'query';
      const field = `${name}${list === '' ? '' : `(${list})`}${scalar ? '' : ' { __typename }'}`;
      const { code } = await catalog.run(`${operation} { ${field} }`, {}, nobody);
      expect([name, code]).toEqual([name, 'FORBIDDEN']);
    }
  });

  it('lists and counts contain only the visible rows', async () => {
    const zones = ['West', 'East'].map((name) =>
      catalog.run('mutation($i: ZoneInput!) { createZone(input: $i) { uuid } }', { i: { name } }),
    );
    const [west, east] = (await Promise.all(zones)).map(({ data }) => String(data['createZone']?.['uuid']));
    const create = 'mutation($z: Uuid!) { createAdaptor(zoneUuid: $z, input: {name: "crm"}) { clientId } }';
    for (const z of [west, east]) await catalog.run(create, { z });
    const reader = principalWith([
      { action: 'GET', resource: `/zones/${west}` },
      { action: 'GET', resource: `/zones/${west}/adaptors` },
    ]);
    const list =
      '{ zones { data { name } page { totalElements } } adaptors { data { zoneUuid } page { totalElements } } }';
    const { data } = await catalog.run(list, {}, reader);
    expect(data['zones']).toEqual({ data: [{ name: 'West' }], page: { totalElements: 1 } });
    expect(data['adaptors']).toEqual({ data: [{ zoneUuid: west }], page: { totalElements: 1 } });
    const asked = await catalog.run(
      'query($z: Uuid) { adaptors(zoneUuid: $z) { data { uuid } } }',
      { z: east },
      reader,
    );
    expect(asked.code).toBe('FORBIDDEN');
  });

  it('either path of a version gives access to it, and nested versions are filtered', async () => {
    const model = { drKeyProperties: ['id'], modelSchema: { properties: { id: { type: 'integer' } } } };
    const created = await catalog.run('mutation { createDomain(input: {name: "hidden"}) { uuid } }');
    const d = String(created.data['createDomain']?.['uuid']);
    const saved = await catalog.run(
      'mutation($d: Uuid!, $i: DomainVersionInput!) { createDomainVersion(domainUuid: $d, input: $i) { domainVersion { uuid } } }',
      { d, i: model },
    );
    const v = String((saved.data['createDomainVersion']?.['domainVersion'] as { uuid: string } | undefined)?.uuid);
    const read = `query($v: Uuid!) {
      domainVersion(domainVersionUuid: $v) { versionNumber domain { name } domainSummary { name } }
    }`;
    const byShortPath = await catalog.run(
      read,
      { v },
      principalWith([{ action: 'GET', resource: `/domains/versions/${v}` }]),
    );
    expect(byShortPath.data['domainVersion']).toEqual({
      versionNumber: 1,
      domain: null,
      domainSummary: { name: 'hidden' },
    });
    const byDomain = await catalog.run(read, { v }, principalWith([{ action: 'GET', resource: `/domains/${d}/*` }]));
    expect(byDomain.data['domainVersion']).toMatchObject({ versionNumber: 1, domain: { name: 'hidden' } });
    const bare = principalWith([{ action: 'GET', resource: `/domains/${d}` }]);
    const domains = await catalog.run(
      `{ domains { data {
        name versionCount defaultVersionNumber versions { uuid } defaultVersion { uuid }
        versionSummaries { uuid } defaultVersionSummary { uuid }
      } } }`,
      {},
      bare,
    );
    expect(domains.data['domains']).toEqual({
      data: [
        {
          name: 'hidden',
          versionCount: 1,
          defaultVersionNumber: 1,
          versions: [],
          defaultVersion: null,
          versionSummaries: [{ uuid: v }],
          defaultVersionSummary: { uuid: v },
        },
      ],
    });
  });

  it('a reader of an adaptor sees a summary of its type, and the type itself only with the permission for it', async () => {
    const z = catalog.rootZoneUuid;
    const made = await catalog.run(
      'mutation($i: AdaptorTypeInput!) { createAdaptorType(input: $i) { uuid name description } }',
      { i: { name: 'Ledger', description: 'of accounts', defaultMetadata: { url: 'jdbc:ledger' } } },
    );
    const type = made.data['createAdaptorType'];
    const created = await catalog.run(
      'mutation($z: Uuid!, $i: AdaptorInput!) { createAdaptor(zoneUuid: $z, input: $i) { clientId } }',
      { z, i: { name: 'ledger', adaptorTypeUuid: type?.['uuid'] } },
    );
    const a = created.data['createAdaptor']?.['clientId'];
    const reader = [{ action: 'GET', resource: `/zones/${z}/adaptors/*` }] as const;
    const typed = [...reader, { action: 'GET', resource: `/adaptor-types/${String(type?.['uuid'])}` }] as const;
    const read = (fields: string, grants: Parameters<typeof principalWith>[0]) =>
      catalog.run(
        `query($z: Uuid!, $a: Uuid!) { adaptor(zoneUuid: $z, adaptorUuid: $a) { ${fields} } }`,
        { z, a },
        principalWith(grants),
      );
    const summary = await read('adaptorTypeSummary { uuid name description }', reader);
    expect(summary.data['adaptor']?.['adaptorTypeSummary']).toEqual(type);
    expect((await read('adaptorType { defaultMetadata }', reader)).code).toBe('FORBIDDEN');
    const whole = await read('adaptorType { uuid defaultCapabilities { action } secretProperties }', typed);
    expect(whole.data['adaptor']?.['adaptorType']).toEqual({
      uuid: type?.['uuid'],
      defaultCapabilities: [],
      secretProperties: [],
    });
  });

  it('a permission for a collection shows its rows, but gives no access to a single row', async () => {
    const created = await catalog.run('mutation { createZone(input: {name: "Parent"}) { uuid } }');
    const parent = String(created.data['createZone']?.['uuid']);
    const child = 'mutation($z: Uuid!) { createChildZone(zoneUuid: $z, input: {name: "Child"}) { uuid } }';
    await catalog.run(child, { z: parent });
    const holds = (resource: string) => principalWith([{ action: 'GET', resource }]);
    const total = async (query: string, principal?: ReturnType<typeof holds>): Promise<unknown> => {
      const { data } = await catalog.run(`{ result: ${query} { page { totalElements } } }`, {}, principal);
      return (data['result']?.['page'] as { totalElements: unknown } | undefined)?.totalElements;
    };
    for (const [field, resource] of [
      ['zones', '/zones'],
      ['adaptorTypes', '/adaptor-types'],
      ['domains', '/domains'],
      ['domainVersions', '/domains/versions'],
    ] as const) {
      const all = await total(field);
      expect([field, all]).toEqual([field, expect.any(Number)]);
      expect([field, await total(field, holds(resource))]).toEqual([field, all]);
      expect([field, await total(field, principalWith([]))]).toEqual([field, undefined]);
    }
    const children = holds(`/zones/${parent}/child-zones`);
    expect(await total(`childZones(zoneUuid: "${parent}")`, children)).toBe(1);
    expect(await total(`zones(parentZoneUuid: "${parent}")`, children)).toBe(1);
    const one = 'query($z: Uuid!) { zone(zoneUuid: $z) { name } }';
    for (const principal of [children, holds('/zones')]) {
      expect((await catalog.run(one, { z: parent }, principal)).code).toBe('FORBIDDEN');
    }
  });
});
