import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';

const domain = 'Linked';
let world: RecordsWorld;
let a: BusAdaptor;
let b: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
  await world.seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  [a, b] = [await world.connect('A', domain), await world.connect('B', domain)];
});
afterAll(() => world?.close());

const linksOfB = (): Promise<number> => world.database.prisma.recordLink.count({ where: { adaptorUuid: b.uuid } });
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
  expect(await world.database.prisma.dataIssue.count({ where: { adaptorUuid: b.uuid } })).toBe(1);
});
