import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let zoneUuid: string;

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

const addVersion = (domainName: string) =>
  seed.addVersion({
    domainName,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  });

const connect = async (name: string, domain: string, actions?: readonly string[]): Promise<BusAdaptor> => {
  const uuid = await seed.addAdaptor({
    name,
    zoneUuid,
    domains: [domain],
    ...(actions === undefined ? {} : { actions }),
  });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

const causes = async (adaptorUuid: string): Promise<(string | null)[]> => {
  const found = await database.prisma.dataIssue.findMany({ where: { adaptorUuid }, orderBy: { uuid: 'asc' } });
  return found.map(({ cause, status }) => `${cause} ${status}`);
};

describe('an event that was refused a moment ago goes on without an issue, though no change log has told of it', () => {
  it('when its adaptor was given the capability', async () => {
    await addVersion('Granted');
    const source = await connect('granted', 'Granted', ['GET']);
    const destination = await connect('beside', 'Granted');
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(async () => expect(await causes(source.uuid)).toEqual(['FAULTY OPEN']));
    await database.prisma.adaptorCapability.create({
      data: { adaptorUuid: source.uuid, position: 1, domainName: 'granted', versionNumber: 1, action: 'POST' },
    });
    source.send({ action: 'POST', json: { id: 2 } });
    await eventually(() => expect(destination.applied.map(({ event }) => event.jsonData)).toContain('{"id":2}'));
    // and what waited goes on too
    await eventually(async () => expect(await causes(source.uuid)).toEqual(['FAULTY CLOSED']));
    await eventually(() => expect(destination.applied.map(({ event }) => event.jsonData)).toContain('{"id":1}'));
  });

  it('when its version was created', async () => {
    const source = await connect('early', 'Created');
    await database.prisma.$transaction(async (tx) => {
      const [domainUuid, uuid] = [randomUUID(), randomUUID()];
      const name = 'Created';
      const { uuid: owner } = await tx.zone.findFirstOrThrow();
      await tx.domain.create({
        data: {
          uuid: domainUuid,
          name,
          nameKey: 'created',
          domainType: 'FEDERATED',
          zoneUuid: owner,
          defaultVersionUuid: uuid,
        },
      });
      const modelSchema = JSON.stringify({ properties: { id: { type: 'integer' } } });
      await tx.domainVersion.create({
        data: { uuid, domainUuid, versionNumber: 1, modelSchema, drKeyProperties: ['id'] },
      });
    });
    source.send({ action: 'POST', json: { id: 1 } });
    await eventually(() => expect(source.acknowledged).toBe(1));
    expect(await causes(source.uuid)).toEqual([]);
    expect(await database.prisma.dataEvent.count({ where: { sourceAdaptorUuid: source.uuid } })).toBe(1);
  });
});
