import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createCatalogSeed, type SeededVersion } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const any: AccessRule = {
  effect: 'ALLOW',
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};

const person = (...rules: readonly Partial<AccessRule>[]): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'x',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
  ...(rules.length === 0
    ? {}
    : { dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], new Map()) }),
});

const shops = [
  { id: 1, price: '10.50', open: true, address: { City: 'Oslo', floor: 2 } },
  { id: 2, price: '9.5', open: false, address: { City: 'oslo fjord', floor: 10 } },
  { id: 3, price: '-0.000000000000000000000000000001', address: { City: 'Bergen' } },
  { id: 4, price: '100', address: {} },
  { id: 5, price: '10.5' },
];

let database: TestDatabase;
let server: StartedRecords;
let version: SeededVersion;
let uuids: readonly string[];

const run = async (source: string, principal = person(), variableValues: Record<string, unknown> = {}) => {
  const contextValue = { principal, requestId: 'test' };
  const answer = await graphql({ schema: server.subgraph.schema, source, variableValues, contextValue });
  return { data: (answer.data ?? {}) as Record<string, never>, errors: answer.errors ?? [] };
};

interface Listing {
  readonly data: readonly { readonly drKey: string }[];
}

const ask = (query: string, sort = 'id', principal = person()) =>
  run(
    'query ($query: String, $sort: String) { dataRecords(domainName: "Shop", query: $query, sort: $sort) { data { drKey } } }',
    principal,
    { query, sort },
  );

/** Ids of the records that a search finds. */
const find = async (query: string, sort = 'id', principal = person()): Promise<number[]> => {
  const { data, errors } = await ask(query, sort, principal);
  expect(errors).toEqual([]);
  return (data['dataRecords'] as unknown as Listing).data.map(({ drKey }) => (JSON.parse(drKey) as { id: number }).id);
};

const refusal = async (query: string, sort = 'id', principal = person()): Promise<unknown> =>
  (await ask(query, sort, principal)).errors[0]?.extensions['code'];

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  version = await seed.addVersion({
    domainName: 'Shop',
    domainType: 'SERVICE_DATA_STORE',
    properties: {
      id: { type: 'integer' },
      price: { type: 'string', format: 'decimal' },
      open: { type: 'boolean' },
      note: { type: 'string' },
      address: { type: 'object', properties: { City: { type: 'string' }, floor: { type: 'integer' } } },
    },
    drKeyProperties: ['id'],
    searchProperties: ['price', 'open', 'address.City', 'address.floor'],
  });
  server = await startRecords(database);
  const created: string[] = [];
  for (const json of shops) {
    const { data } = await run(
      'mutation ($input: DataRecordInput!) { createDataRecord(input: $input) { uuid } }',
      person(),
      {
        input: { name: 'Shop', json: JSON.stringify(json) },
      },
    );
    created.push((data['createDataRecord'] as unknown as { uuid: string }).uuid);
  }
  uuids = created;
});
afterAll(async () => {
  await server?.close();
  await database.drop();
});

describe('search properties', () => {
  it.each<readonly [string, readonly number[]]>([
    ['address.city:oslo', [1]],
    ['ADDRESS.CITY:os*', [1, 2]],
    ['address.City:*rg*', [3]],
    ['address.City:oslq~1', [1]],
    ['address.City:/oslo.*/', [1, 2]],
    ['address.City:*', [1, 2, 3]],
    ['NOT address.City:*', [4, 5]],
    ['address.floor:[3 TO *]', [2]],
    ['open:false OR address.floor:2', [1, 2]],
    ['1 OR address.City:bergen', [1, 3]],
    ['price:10.5', [1, 5]],
    ['price:010.500', [1, 5]],
    ['price:{9.5 TO 100]', [1, 4, 5]],
    ['price:<0', [3]],
  ])('find records: %s', async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it.each<readonly [string, readonly number[]]>([
    ['price,-id', [3, 2, 5, 1, 4]],
    ['-price,id', [4, 1, 5, 2, 3]],
    ['-address.floor,id', [2, 1, 3, 4, 5]],
    ['address.city,id', [4, 5, 3, 1, 2]],
  ])('sort records by %s', async (sort, expected) => {
    expect(await find('', sort)).toEqual(expected);
  });

  it('search and sort the record type too', async () => {
    const { data, errors } = await run(
      '{ dr_Shop_1(query: "address.City:oslo*", sort: "-price") { data { id price } } }',
    );
    expect(errors).toEqual([]);
    // the stored text is shown
    expect(data['dr_Shop_1']).toEqual({
      data: [
        { id: 1, price: '10.50' },
        { id: 2, price: '9.5' },
      ],
    });
  });

  it('are the only ones in addition to the DR Key', async () => {
    expect(await refusal('note:x')).toBe('INVALID_QUERY');
    expect(await refusal('', 'note')).toBe('INVALID_PARAMETER');
    expect(await refusal('price:1e')).toBe('INVALID_QUERY');
    // a decimal is a number: its characters are not searched
    expect(await refusal('price:1*')).toBe('INVALID_QUERY');
  });

  it('reveal nothing about hidden properties', async () => {
    const hidden = person({ effect: 'DENY', properties: ['address'] }, {});
    expect(await refusal('address.City:oslo', 'id', hidden)).toBe('INVALID_QUERY');
    expect(await refusal('', 'address.floor', hidden)).toBe('INVALID_PARAMETER');
    // hidden of one record only: that record is not found by it
    const partly = person({ effect: 'DENY', properties: ['address'], drUuids: [uuids[0] ?? ''] }, {});
    expect(await find('address.City:os*', 'id', partly)).toEqual([2]);
    expect(await find('', '-address.floor,id', partly)).toEqual([2, 3, 4, 5]);
    expect(await find('price:10.5', 'id', partly)).toEqual([1, 5]);
  });

  it('follow a change of the list', async () => {
    const { domainUuid, domainVersionUuid } = version;
    const change = (searchProperties: string[]) =>
      database.prisma.$transaction(async (tx) => {
        await tx.domainVersion.update({
          where: { uuid: domainVersionUuid },
          data: { searchProperties, changeVersion: { increment: 1 } },
        });
        await tx.changeLogEntry.create({
          data: {
            action: 'PATCH',
            resourceType: 'DomainVersion',
            resource: `/domains/${domainUuid}/versions/${domainVersionUuid}`,
            resourceUuid: domainVersionUuid,
          },
        });
      });
    await change(['note']);
    await eventually(async () => expect(await refusal('price:1')).toBe('INVALID_QUERY'));
    expect(await find('note:*')).toEqual([]);
  });
});
