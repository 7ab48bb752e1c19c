import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { stringifyJson } from '@fds/json';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let home: string;
let away: string;
let domainVersionUuid: string;
let source: BusAdaptor;
let destination: BusAdaptor;
let release: () => Promise<void>;

const steward: Principal = {
  kind: 'PERSON',
  uuid: '019a5d2e-0000-7000-8000-00000000aaaa',
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
};

/** Holds all readers of the change log up: a transaction has written to it and does not end. */
const holdChangeLog = async (): Promise<() => Promise<void>> => {
  const client = await database.pool.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO change_log (action, resource_type, resource) VALUES ('POST', 'Zone', '/zones')`);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
};

const connect = async (name: string, zoneUuid: string, domain: string): Promise<BusAdaptor> => {
  const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [domain] });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

const ask = async (query: string, variableValues: Record<string, unknown>) => {
  const contextValue = { principal: steward, requestId: 'test' };
  const { data, errors } = await graphql({
    schema: server.subgraph.schema,
    source: query,
    variableValues,
    contextValue,
  });
  expect(errors).toBeUndefined();
  return data?.['result'];
};

const queuedFor = (adaptorUuid: string): Promise<number> => database.prisma.delivery.count({ where: { adaptorUuid } });

beforeEach(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  [home, away] = [await seed.addZone('Home'), await seed.addZone('Away')];
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: 'Thing',
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  }));
  server = await startRecords(database);
  source = await connect('source', home, 'Thing');
  destination = await connect('destination', away, 'Thing');
  source.send({ action: 'POST', json: { id: 0 } });
  await eventually(() => expect(destination.applied).toHaveLength(1));
  release = await holdChangeLog();
});
afterEach(async () => {
  await release?.();
  await server?.close();
  await database?.drop();
});

describe('a catalog change that the change log has not delivered yet', () => {
  it('applies to events if it is an ACL entry of a zone', async () => {
    await seed.denyInbound(away, []);
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    expect(await queuedFor(destination.uuid)).toBe(1);
    expect(await database.prisma.dataEvent.count({ where: { sourceAdaptorUuid: source.uuid } })).toBe(2);
  });

  it('applies to events if it is an entry of the operational chain', async () => {
    const uuid = randomUUID();
    await database.prisma.$transaction(async (tx) => {
      await tx.operationalAcl.create({ data: { uuid, position: 0, post: 'DENY' } });
      const resource = `/operational-acls/entries/${uuid}`;
      await logChange(tx, { action: 'POST', resourceType: 'OperationalAcl', resource, resourceUuid: uuid });
    });
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    expect(await database.prisma.dataIssue.count({ where: { cause: 'OPERATIONAL' } })).toBe(1);
    expect(await queuedFor(destination.uuid)).toBe(1);
  });

  it('applies to events if it is a new adaptor that has not said hello', async () => {
    const added = await seed.addAdaptor({ name: 'added', zoneUuid: away, domains: ['Thing'] });
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(async () => expect(await queuedFor(added)).toBe(1));
  });

  it('applies to changes over the API', async () => {
    await seed.denyInbound(away, []);
    const added = await seed.addAdaptor({ name: 'added', zoneUuid: home, domains: ['Thing'] });
    await ask('mutation ($input: DataRecordInput!) { result: createDataRecord(input: $input) { uuid } }', {
      input: { name: 'Thing', json: { id: 1 } },
    });
    expect(await queuedFor(added)).toBe(1);
    expect(await queuedFor(destination.uuid)).toBe(1);
  });

  it('applies to a dry run', async () => {
    await seed.denyInbound(away, []);
    const jsonData = stringifyJson({ id: 1 });
    const input = { action: 'POST', sourceAdaptorUuid: source.uuid, domainVersionUuid, jsonData };
    const query = `query ($zoneUuid: Uuid!, $input: AclDryRunInput!) {
      result: aclDryRun(zoneUuid: $zoneUuid, input: $input) { messages { destinationAdaptorUuid action } denied { chain } }
    }`;
    expect(await ask(query, { zoneUuid: home, input })).toEqual({
      messages: [{ destinationAdaptorUuid: null, action: 'POST' }],
      denied: [{ chain: 'INBOUND' }],
    });
  });

  it('is not applied a second time when the change log continues', async () => {
    await seed.denyInbound(away, []);
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(() => expect(source.acknowledged).toBe(2));
    await release();
    source.send({ action: 'POST', json: { id: 2 } });
    await eventually(() => expect(source.acknowledged).toBe(3));
    expect(await queuedFor(destination.uuid)).toBe(1);
    release = async () => undefined;
  });
});
