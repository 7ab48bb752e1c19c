import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../testing/start-records.js';
import { createRemainsClearer } from './create-remains-clearer.js';

let database: TestDatabase;
let seed: CatalogSeed;
let zoneUuid: string;
let server: StartedRecords;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  server = await startRecords(database);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

let domain: string;
let domainVersionUuid: string;
const addDomain = async (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE'): Promise<void> => {
  counter += 1;
  domain = `Left${counter}`;
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType,
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  }));
};
const addAdaptor = async (): Promise<BusAdaptor> => {
  counter += 1;
  const uuid = await seed.addAdaptor({ name: `adaptor ${counter}`, zoneUuid, domains: [domain] });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};
const send = async (adaptor: BusAdaptor, ...ids: number[]): Promise<void> => {
  const before = adaptor.acknowledged;
  for (const id of ids) adaptor.send({ action: 'POST', json: { id } });
  await eventually(() => expect(adaptor.acknowledged).toBe(before + ids.length));
};
/** Deletes it as the catalog does, or without a change log entry, as if no process had followed the log. */
const deleteAdaptor = async (uuid: string, told: 'told' | 'untold' = 'told'): Promise<void> => {
  await database.prisma.$transaction(async (tx) => {
    await tx.adaptor.delete({ where: { uuid }, select: { uuid: true } });
    if (told === 'untold') return;
    const resource = `/zones/${zoneUuid}/adaptors/${uuid}`;
    await logChange(tx, { action: 'DELETE', resourceType: 'Adaptor', resource, resourceUuid: uuid });
  });
};
const countRows = async (adaptorUuid: string): Promise<Record<string, bigint>> => {
  const { rows } = await database.pool.query<Record<string, bigint>>(
    `SELECT (SELECT count(*) FROM record_link WHERE adaptor_uuid = $1) AS links,
            (SELECT count(*) FROM delivery WHERE adaptor_uuid = $1) AS deliveries,
            (SELECT count(*) FROM adaptor_channel WHERE adaptor_uuid = $1) AS channels,
            (SELECT count(*) FROM relay_lease WHERE adaptor_uuid = $1) AS leases`,
    [adaptorUuid],
  );
  return rows[0] ?? {};
};
const nothing = { links: 0, deliveries: 0, channels: 0, leases: 0 };
const untilClear = (uuid: string): Promise<void> =>
  eventually(async () => expect(Object.values(await countRows(uuid)).map(Number)).toEqual(Object.values(nothing)));
const keysLeft = async (): Promise<unknown[]> => {
  const records = await database.prisma.dataRecord.findMany({ where: { domainVersionUuid }, select: { drKey: true } });
  return records.map(({ drKey }) => drKey);
};

describe('a deleted adaptor of a federated domain', () => {
  let gone: BusAdaptor;
  let other: BusAdaptor;
  beforeEach(async () => {
    await addDomain('FEDERATED');
    gone = await addAdaptor();
    other = await addAdaptor();
    await send(gone, 1, 2, 3);
    await send(other, 3);
    await send(other, 4);
    await eventually(() => expect(gone.applied).toHaveLength(1));
  });

  it('leaves nothing, and removes the records that only it had', async () => {
    await deleteAdaptor(gone.uuid);
    await untilClear(gone.uuid);
    expect(await keysLeft()).toEqual(expect.arrayContaining([{ id: 3 }, { id: 4 }]));
    expect(await keysLeft()).toHaveLength(2);
    const entries = await database.prisma.changeLogEntry.findMany({
      where: { resourceType: 'Dr', actorUuid: null },
      orderBy: { position: 'desc' },
      take: 3,
    });
    expect(entries.map(({ action }) => action).sort()).toEqual(['DELETE', 'DELETE', 'PUT']);
  });

  it('is forgotten for good: its lease is not renewed, and other events pass', async () => {
    await deleteAdaptor(gone.uuid);
    await untilClear(gone.uuid);
    await send(other, 5);
    gone.send({ action: 'POST', json: { id: 6 } });
    gone.link({ action: 'LINK', domain, version: 1, drKey: { id: 5 } });
    await server.close();
    server = await startRecords(database);
    await other.connect(server.bus);
    await send(other, 7);
    await untilClear(gone.uuid);
    expect(await keysLeft()).not.toContainEqual({ id: 6 });
  });

  it('is cleared at the next start when it was deleted while the service was down', async () => {
    await server.close();
    await deleteAdaptor(gone.uuid, 'untold');
    server = await startRecords(database);
    await untilClear(gone.uuid);
  });

  it('is cleared in portions, also where old deliveries are gone from between others', async () => {
    for (const id of [6, 7, 8]) await send(other, id);
    await server.close();
    await database.pool.query(
      `DELETE FROM delivery WHERE adaptor_uuid = $1 AND sequence = (
         SELECT min(sequence) + 1 FROM delivery WHERE adaptor_uuid = $1)`,
      [gone.uuid],
    );
    await deleteAdaptor(gone.uuid, 'untold');
    const limits = { maxLinks: 1, maxDeliveries: 1 };
    const clearer = createRemainsClearer({ database, log: createLog('silent'), limits });
    clearer.clear();
    await untilClear(gone.uuid);
    await clearer.close();
    expect(await keysLeft()).toHaveLength(5);
    server = await startRecords(database);
  });
});

describe('a deleted adaptor of a data store', () => {
  it('leaves its records', async () => {
    await addDomain('SERVICE_DATA_STORE');
    const gone = await addAdaptor();
    await send(gone, 1, 2);
    await deleteAdaptor(gone.uuid);
    await untilClear(gone.uuid);
    expect(await keysLeft()).toHaveLength(2);
  });
});

describe('an adaptor that is only deactivated', () => {
  it('keeps everything', async () => {
    await addDomain('FEDERATED');
    const kept = await addAdaptor();
    await send(kept, 1);
    const before = await countRows(kept.uuid);
    await database.prisma.$transaction(async (tx) => {
      await tx.adaptor.update({ where: { uuid: kept.uuid }, data: { active: false }, select: { uuid: true } });
      const resource = `/zones/${zoneUuid}/adaptors/${kept.uuid}`;
      await logChange(tx, { action: 'DELETE', resourceType: 'Adaptor', resource, resourceUuid: kept.uuid });
    });
    const gone = await addAdaptor();
    await send(gone, 2);
    await deleteAdaptor(gone.uuid);
    await untilClear(gone.uuid);
    expect(await countRows(kept.uuid)).toMatchObject({ links: before['links'], channels: before['channels'] });
  });
});
