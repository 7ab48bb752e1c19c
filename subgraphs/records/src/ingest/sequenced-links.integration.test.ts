import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../testing/bus-adaptor.js';
import { createCatalogSeed } from '../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../testing/start-records.js';

const domain = 'Linked';
let database: TestDatabase;
let server: StartedRecords;
let a: BusAdaptor;
let b: BusAdaptor;

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  server = await startRecords(database);
  const connect = async (name: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  [a, b] = [await connect('A'), await connect('B')];
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const linksOfB = (): Promise<number> => database.prisma.recordLink.count({ where: { adaptorUuid: b.uuid } });
const linkOf = (action: 'LINK' | 'UNLINK', id: number) => ({ action, domain, version: 1, drKey: { id } });

it('links on up/data are acknowledged in the sequence and keep their order with data events', async () => {
  for (const id of [1, 2]) a.send({ action: 'POST', json: { id, name: 'v1' } });
  await eventually(() => expect(b.applied).toHaveLength(2));
  b.sendLinks(linkOf('LINK', 1), linkOf('LINK', 2));
  await eventually(() => expect(b.acknowledged).toBe(1));
  expect(await linksOfB()).toBe(2);

  b.sendLinks(linkOf('UNLINK', 1));
  b.send({ action: 'PUT', json: { id: 1, name: 'v2' } });
  b.sendLinks(linkOf('UNLINK', 2));
  await eventually(() => expect(b.acknowledged).toBe(4));
  // the change after the first UNLINK links the record again
  expect(await linksOfB()).toBe(1);
  await eventually(() => expect(a.applied.map(({ event }) => event.jsonData)).toEqual(['{"id":1,"name":"v2"}']));
});

it('a report without a known version is acknowledged, and one that violates the contract becomes an issue', async () => {
  const before = b.acknowledged;
  b.sendLinks({ ...linkOf('LINK', 1), version: 7 });
  b.sendLinks();
  b.sendLinks({ action: 'LINK', domain, version: 1 });
  await eventually(() => expect(b.acknowledged).toBe(before + 3));
  expect(await database.prisma.dataIssue.count({ where: { adaptorUuid: b.uuid } })).toBe(1);
});
