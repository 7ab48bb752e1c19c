import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import type { Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
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
const person = (rules: readonly Partial<AccessRule>[], permits: Principal['permits'] = () => true): Principal => ({
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'x',
  zones: [],
  defaultZoneUuid: undefined,
  permits,
  ...(rules.length === 0
    ? {}
    : { dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], new Map()) }),
});
const steward = person([]);

let database: TestDatabase;
let server: StartedRecords;
/** Statements that read single records, and whether the database refuses them. */
const reading = { statements: 0, isRefused: false };
const records: Record<'stored' | 'other' | 'referring' | 'federated', string> = {
  stored: '',
  other: '',
  referring: '',
  federated: '',
};

const run = async (source: string, principal: Principal, variableValues: Record<string, unknown> = {}) =>
  graphql({
    schema: server.subgraph.schema,
    source,
    variableValues,
    contextValue: { principal, requestId: 'test' },
  });

/** The answer of the field `dataRecord`; undefined: it is an error. */
const ask = async (drUuid: string, principal: Principal): Promise<unknown> => {
  const members = 'uuid domainType adaptorUuid domainVersionUuid dateCreated createdByUuid json drKey changeVersion';
  const { data } = await run(`query ($r: Uuid!) { dataRecord(drUuid: $r) { ${members} } }`, principal, { r: drUuid });
  return data?.['dataRecord'] ?? undefined;
};
const read = (drUuid: string, principal: Principal) =>
  server.subgraph.readRecord(drUuid, { principal, requestId: 'test' });

const create = async (name: string, json: object): Promise<string> => {
  const { data, errors } = await run(
    'mutation ($input: DataRecordInput!) { createDataRecord(input: $input) { uuid } }',
    steward,
    { input: { name, json: JSON.stringify(json) } },
  );
  expect(errors).toBeUndefined();
  return (data as { createDataRecord: { uuid: string } }).createDataRecord.uuid;
};

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const plain = { id: { type: 'integer' }, name: { type: 'string' }, pay: { type: 'string' } };
  await seed.addVersion({
    domainName: 'Person',
    domainType: 'SERVICE_DATA_STORE',
    properties: plain,
    drKeyProperties: ['id', 'name'],
  });
  await seed.addVersion({
    domainName: 'Desk',
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'integer' }, boss: { $ref: '/domains/Person:v1' } },
    drKeyProperties: ['id'],
  });
  await seed.addVersion({
    domainName: 'Customer',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const reads: Queryable = {
    query: (statement, values) => {
      reading.statements += 1;
      if (reading.isRefused) return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      return database.reads.query(statement, values);
    },
  };
  server = await startRecords({ ...database, reads });
  records.stored = await create('Person', { id: 9_007_199_254_740_991, name: 'Ada "é" \u2028', pay: 'secret' });
  records.other = await create('Person', { id: 2, name: 'Bo', pay: 'secret' });
  records.referring = await create('Desk', { id: 1, boss: { $ref: `/drs/${records.stored}` } });
  records.federated = await create('Customer', { id: 5, name: 'n' });
});
afterAll(async () => {
  await server?.close();
  await database.drop();
});

const callers = (): readonly (readonly [string, Principal])[] => [
  ['a caller without rules', steward],
  ['a property is hidden', person([{ properties: ['id', 'name'] }])],
  ['a part of the DR Key is hidden', person([{ properties: ['id'] }])],
  ['another record is hidden', person([{ drUuids: [records.stored, records.federated] }])],
  ['every record is hidden', person([{ drUuids: [randomUUID()] }])],
  ['no permission', person([], () => false)],
  ['a permission for one record', person([], (_action, path) => path === `/drs/${records.other}`)],
];

describe('createRecordReader', () => {
  it('gives every caller what the field dataRecord gives, and undefined where that is an error', async () => {
    const shown: Record<string, readonly unknown[]> = {};
    for (const [name, caller] of callers()) {
      const members: unknown[] = [];
      for (const drUuid of [records.stored, records.other, records.federated, randomUUID(), 'no-uuid']) {
        const found = await read(drUuid, caller);
        expect(found).toEqual(await ask(drUuid, caller));
        const data = found?.json;
        members.push(
          typeof data === 'string'
            ? Object.keys(JSON.parse(data) as object)
                .sort()
                .join()
            : data,
        );
      }
      shown[name] = members;
    }
    const none = undefined;
    expect(shown).toEqual({
      'a caller without rules': ['id,name,pay', 'id,name,pay', null, none, none],
      'a property is hidden': ['id,name', 'id,name', null, none, none],
      'a part of the DR Key is hidden': ['id', 'id', null, none, none],
      'another record is hidden': ['id,name,pay', none, null, none, none],
      'every record is hidden': [none, none, none, none, none],
      'no permission': [none, none, none, none, none],
      'a permission for one record': [none, 'id,name,pay', none, none, none],
    });
  });

  it('takes the spellings of a UUID that the field dataRecord takes, and checks permissions with the lower-case one', async () => {
    const onlyOther = person([], (_action, path) => path === `/drs/${records.other}`);
    expect(await read(records.other.toUpperCase(), onlyOther)).toMatchObject({ uuid: records.other });
    const exceptStored = person([], (_action, path) => path !== `/drs/${records.stored}`);
    expect(await read(records.stored.toUpperCase(), exceptStored)).toBeUndefined();
    for (const spelling of [records.stored.replaceAll('-', ''), `{${records.stored}}`]) {
      expect(await ask(spelling, steward)).toBeUndefined();
      expect(await read(spelling, steward)).toBeUndefined();
    }
  });

  it.each([
    ['a record', () => records.stored, false, undefined],
    ['a record with references', () => records.referring, false, undefined],
    ['a record that does not exist', () => randomUUID(), false, 'there is no such data record'],
    ['a database that refuses connections', () => records.stored, true, 'refused'],
  ])('leaves no second statement to the field dataRecord for %s', async (_, drUuid, isRefused, message) => {
    const contextValue = { principal: steward, requestId: 'test' };
    const asked = drUuid();
    Object.assign(reading, { statements: 0, isRefused });
    try {
      await server.subgraph.readRecord(asked, contextValue);
      const { schema } = server.subgraph;
      const source = `{ dataRecord(drUuid: "${asked}") { uuid } }`;
      const { data, errors } = await graphql({ schema, source, contextValue });
      expect(errors?.[0]?.message).toBe(message);
      expect(data?.['dataRecord'] ?? undefined).toEqual(message === undefined ? { uuid: asked } : undefined);
      expect(reading.statements).toBe(1);
    } finally {
      reading.isRefused = false;
    }
  });

  it('reads a record again for another request', async () => {
    reading.statements = 0;
    await read(records.stored, steward);
    await read(records.stored, steward);
    expect(reading.statements).toBe(2);
  });

  it('leaves a record with references to the field dataRecord', async () => {
    expect(await read(records.referring, steward)).toBeUndefined();
    expect(await ask(records.referring, steward)).toMatchObject({ uuid: records.referring });
  });
});
