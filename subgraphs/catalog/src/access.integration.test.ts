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

/** A literal with what the type demands, and no more. */
const literalOf = (type: GraphQLInputType): string => {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return '"00000000-0000-7000-8000-000000000000"';
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return `{${required.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')}}`;
};

describe('access', () => {
  it('every root field says what it demands of its caller', () => {
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

  it('lists and counts hold the visible rows only', async () => {
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

  it('a version is reached by either of its paths, and nested ones are filtered', async () => {
    const model = { drKeyProperties: ['id'], modelSchema: { properties: { id: { type: 'integer' } } } };
    const created = await catalog.run('mutation { createDomain(input: {name: "hidden"}) { uuid } }');
    const d = String(created.data['createDomain']?.['uuid']);
    const saved = await catalog.run(
      'mutation($d: Uuid!, $i: DomainVersionInput!) { createDomainVersion(domainUuid: $d, input: $i) { domainVersion { uuid } } }',
      { d, i: model },
    );
    const v = String((saved.data['createDomainVersion']?.['domainVersion'] as { uuid: string } | undefined)?.uuid);
    const read = 'query($v: Uuid!) { domainVersion(domainVersionUuid: $v) { versionNumber domain { name } } }';
    const byShortPath = await catalog.run(
      read,
      { v },
      principalWith([{ action: 'GET', resource: `/domains/versions/${v}` }]),
    );
    expect(byShortPath.data['domainVersion']).toEqual({ versionNumber: 1, domain: null });
    const byDomain = await catalog.run(read, { v }, principalWith([{ action: 'GET', resource: `/domains/${d}/*` }]));
    expect(byDomain.data['domainVersion']).toEqual({ versionNumber: 1, domain: { name: 'hidden' } });
    const bare = principalWith([{ action: 'GET', resource: `/domains/${d}` }]);
    const domains = await catalog.run(
      '{ domains { data { name versionCount versions { uuid } defaultVersion { uuid } } } }',
      {},
      bare,
    );
    expect(domains.data['domains']).toEqual({
      data: [{ name: 'hidden', versionCount: 0, versions: [], defaultVersion: null }],
    });
  });
});
