import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { loadParkedEvents } from '../../store/issues/parked-events.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let seed: CatalogSeed;
let zoneUuid: string;
let [first, second]: StartedRecords[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  first = await startRecords(database);
  second = await startRecords(database);
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await database?.drop();
});

const addVersion = (
  domainName: string,
  domainType: 'FEDERATED' | 'SERVICE_DATA_STORE',
  properties: JsonObject = { id: { type: 'integer' }, name: { type: 'string' } },
) => seed.addVersion({ domainName, domainType, properties, drKeyProperties: ['id'] });

const connect = async (
  server: StartedRecords | undefined,
  name: string,
  domain: string,
  actions?: readonly string[],
): Promise<BusAdaptor> => {
  if (server === undefined) throw new TypeError('no server');
  const given = actions === undefined ? {} : { actions };
  const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [domain], ...given });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

/** Issues of an adaptor, oldest first. */
const issues = async (adaptorUuid: string): Promise<string[]> => {
  const found = await database.prisma.dataIssue.findMany({ where: { adaptorUuid }, orderBy: { uuid: 'asc' } });
  return found.map(({ cause, status, changeVersion }) => `${cause} ${status} ${changeVersion}`);
};

const events = (sourceAdaptorUuid: string): Promise<number> =>
  database.prisma.dataEvent.count({ where: { sourceAdaptorUuid } });

describe('an event that waits for a record continues when the record exists', () => {
  it('with the record that it refers to, and not with another; events behind it follow', async () => {
    await addVersion('Country', 'SERVICE_DATA_STORE');
    await addVersion('City', 'SERVICE_DATA_STORE', {
      id: { type: 'integer' },
      name: { type: 'string' },
      country: { $ref: '/domains/Country:v1' },
      twin: { $ref: '/domains/Country:v1' },
    });
    const cities = await connect(first, 'cities', 'City');
    const countries = await connect(second, 'countries', 'Country');
    cities.send({ action: 'POST', json: { id: 1, name: 'Bern', country: 41, twin: 43 } });
    cities.send({ action: 'PUT', json: { id: 1, name: 'Berne' } });
    await eventually(async () => expect(await issues(cities.uuid)).toEqual(['NOT_VALID OPEN 1', 'HELD OPEN 1']));

    countries.send({ action: 'POST', json: { id: 99, name: 'elsewhere' } });
    countries.send({ action: 'POST', json: { id: 41, name: 'Switzerland' } });
    // one of two is there: the issue names the other one only
    await eventually(async () => expect((await issues(cities.uuid))[0]).toBe('NOT_VALID OPEN 2'));
    const [issue] = await database.prisma.dataIssue.findMany({
      where: { adaptorUuid: cities.uuid },
      orderBy: { uuid: 'asc' },
    });
    expect(JSON.parse(issue?.errors ?? '')).toMatchObject([{ pointer: '/json/twin', code: 'UNKNOWN_REFERENCE' }]);

    countries.send({ action: 'POST', json: { id: 43, name: 'Austria' } });
    await eventually(async () => expect(await issues(cities.uuid)).toEqual(['NOT_VALID CLOSED 3']));
    expect(await events(cities.uuid)).toBe(2);
    expect(await database.prisma.awaitedKey.count()).toBe(0);
  });

  it('if its adaptor may change it and not create it', async () => {
    await addVersion('Person', 'FEDERATED');
    const enricher = await connect(first, 'enricher', 'Person', ['PUT']);
    const creator = await connect(second, 'creator', 'Person');
    enricher.send({ action: 'PUT', json: { id: 7, name: 'known later' } });
    await eventually(async () => expect(await issues(enricher.uuid)).toEqual(['NOT_CAPABLE OPEN 1']));
    creator.send({ action: 'POST', json: { id: 7, name: 'created' } });
    await eventually(async () => expect(await issues(enricher.uuid)).toEqual(['NOT_CAPABLE CLOSED 2']));
    await eventually(() =>
      expect(creator.applied.map(({ event }) => event.jsonData)).toEqual(['{"id":7,"name":"known later"}']),
    );
  });

  it('if its adaptor may not create it by the operational chain', async () => {
    await addVersion('Book', 'FEDERATED');
    const reader = await connect(first, 'books read', 'Book');
    const creator = await connect(second, 'books', 'Book');
    const chain = { uuid: randomUUID(), position: 0, sourceAdaptorUuid: reader.uuid, post: 'DENY' };
    await database.prisma.$transaction(async (tx) => {
      await tx.operationalAcl.create({ data: chain });
      const resource = `/operational-acls/entries/${chain.uuid}`;
      await logChange(tx, { action: 'POST', resourceType: 'OperationalAcl', resource, resourceUuid: chain.uuid });
    });
    // until the process has the new chain
    let id = 0;
    await eventually(async () => {
      id += 1;
      reader.send({ action: 'PUT', json: { id, name: 'read' } });
      await eventually(() => expect(reader.acknowledged).toBe(id));
      expect((await issues(reader.uuid)).at(-1)).toBe('OPERATIONAL OPEN 1');
    });
    creator.send({ action: 'POST', json: { id, name: 'written' } });
    await eventually(async () => expect((await issues(reader.uuid)).at(-1)).toBe('OPERATIONAL CLOSED 2'));
    await eventually(() => expect(creator.applied.at(-1)?.event.jsonData).toBe(`{"id":${id},"name":"read"}`));
  });

  it('a part of which the event names', async () => {
    await addVersion('Article', 'SERVICE_DATA_STORE', {
      id: { type: 'integer' },
      name: { type: 'string', required: true },
      price: { type: 'integer' },
    });
    const prices = await connect(first, 'prices', 'Article');
    const names = await connect(second, 'names', 'Article');
    names.send({ action: 'POST', json: { id: 1, name: 'desk' } });
    await eventually(async () => expect(await events(names.uuid)).toBe(1));
    prices.send({ action: 'PUT', json: { id: 3, price: 12 } });
    await eventually(async () => expect(await issues(prices.uuid)).toEqual(['NOT_VALID OPEN 1']));
    // as an import asks that brings very many records
    const [desk] = await database.prisma.dataRecord.findMany({ where: { createdByUuid: names.uuid } });
    const [issue] = await database.prisma.dataIssue.findMany({ where: { adaptorUuid: prices.uuid } });
    if (desk === undefined || issue === undefined) throw new TypeError('nothing came of the events');
    const { domainVersionUuid, keyDigest } = desk;
    const released = { kind: 'AWAITED_OF', versionUuids: [domainVersionUuid] } as const;
    const page = { after: undefined, limit: 10, maxBytes: 1_000_000 };
    expect(await loadParkedEvents(database.pool, released, page)).toEqual({ events: [], isLast: true });
    const row = { domainVersionUuid, keyDigest, issueUuid: issue.uuid };
    await database.prisma.awaitedKey.create({ data: row });
    expect(await loadParkedEvents(database.pool, released, page)).toMatchObject({
      events: [{ issueUuid: issue.uuid }],
      isLast: true,
    });
    names.send({ action: 'POST', json: { id: 3, name: 'lamp' } });
    await eventually(async () => expect(await issues(prices.uuid)).toEqual(['NOT_VALID CLOSED 2']));
    const [record] = await database.prisma.dataRecord.findMany({
      where: { createdByUuid: names.uuid },
      orderBy: { uuid: 'desc' },
    });
    expect(record?.json).toEqual({ id: 3, name: 'lamp', price: 12 });
  });

  it('that arrived while the event became an issue, without an announcement', async () => {
    const { domainVersionUuid } = await addVersion('Harbour', 'SERVICE_DATA_STORE');
    await addVersion('Ship', 'SERVICE_DATA_STORE', {
      id: { type: 'integer' },
      home: { $ref: '/domains/Harbour:v1' },
    });
    const ships = await connect(first, 'ships', 'Ship');
    const harbours = await connect(second, 'harbours', 'Harbour');
    harbours.send({ action: 'POST', json: { id: 1, name: 'Kiel' } });
    await eventually(async () => expect(await events(harbours.uuid)).toBe(1));
    const [kiel] = await database.prisma.dataRecord.findMany({ where: { domainVersionUuid } });
    if (kiel === undefined) throw new TypeError('no harbour');
    const setKey = 'UPDATE data_record SET key_digest = $2 WHERE uuid = $1';
    await database.pool.query('DELETE FROM record_link WHERE record_uuid = $1', [kiel.uuid]);
    await database.pool.query(setKey, [kiel.uuid, Buffer.alloc(32)]);
    await database.transaction(async (client) => {
      await client.query(setKey, [kiel.uuid, Buffer.from(kiel.keyDigest)]);
      // the batch reads without the harbour, and waits here before it commits
      await client.query('LOCK TABLE awaited_key IN EXCLUSIVE MODE');
      ships.send({ action: 'POST', json: { id: 5, home: 1 } });
      await eventually(async () => {
        const waiting = await database.pool.query(
          `SELECT FROM pg_locks WHERE relation = 'awaited_key'::regclass AND NOT granted`,
        );
        expect(waiting.rowCount).toBeGreaterThan(0);
      });
    });
    await eventually(async () => expect(await issues(ships.uuid)).toEqual(['NOT_VALID CLOSED 2']));
  });

  it('though both come at the same time, to two processes', async () => {
    await addVersion('Station', 'SERVICE_DATA_STORE');
    await addVersion('Train', 'SERVICE_DATA_STORE', {
      id: { type: 'integer' },
      from: { $ref: '/domains/Station:v1' },
    });
    const trains = await connect(first, 'trains', 'Train');
    const stations = await connect(second, 'stations', 'Station');
    const many = 60;
    for (let id = 1; id <= many; id += 1) {
      trains.send({ action: 'POST', json: { id, from: id } });
      stations.send({ action: 'POST', json: { id, name: 'station' } });
      // batches of both meet in every order
      if (id % 5 === 0) await eventually(() => expect(trains.acknowledged + stations.acknowledged).toBeGreaterThan(id));
    }
    await eventually(async () => expect(await events(trains.uuid)).toBe(many));
    expect((await issues(trains.uuid)).filter((issue) => issue.includes('OPEN'))).toEqual([]);
  });
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(database)).toEqual([]);
});
