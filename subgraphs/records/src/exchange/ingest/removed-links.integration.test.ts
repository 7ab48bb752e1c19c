import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { createRetention } from '../../upkeep/create-retention.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';
import { reportWindow } from '../../store/channels/delivery.js';

const hourMs = 3_600_000;
const ada = { id: 1, name: 'Ada', note: 'n' };
const somebody: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'x',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
};

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let zoneUuid: string;
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

const report = async (adaptor: BusAdaptor, event: Parameters<BusAdaptor['send']>[0]): Promise<void> => {
  const before = adaptor.acknowledged;
  adaptor.send(event);
  await eventually(() => expect(adaptor.acknowledged).toBe(before + 1));
};
const put = (adaptor: BusAdaptor, json: JsonObject) => report(adaptor, { action: 'PUT', json });

let a: BusAdaptor;
let b: BusAdaptor;
let domainVersionUuid: string;
const records = () => database.prisma.dataRecord.findMany({ where: { domainVersionUuid } });
const removed = () => database.prisma.removedLink.findMany({ where: { domainVersionUuid } });

/** A and B hold a record; from then on B acknowledges nothing. */
const holdByBoth = async (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE'): Promise<string> => {
  counter += 1;
  const domain = `Removed${counter}`;
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType,
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  }));
  const connect = async (name: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name: `${name} ${counter}`, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  a = await connect('a');
  b = await connect('b');
  await put(a, ada);
  await eventually(() => expect(b.applied).toHaveLength(1));
  await put(b, ada);
  b.become('ignore');
  return (await records())[0]?.uuid ?? '';
};
const unlinkB = async (drUuid: string): Promise<void> => {
  b.link({ action: 'UNLINK', drUuid, domain: `Removed${counter}`, version: 1 });
  await eventually(async () => expect(await records()).toEqual([]));
};

describe.each(['SERVICE_DATA_STORE', 'FEDERATED'] as const)('a removed %s record', (domainType) => {
  beforeEach(async () => {
    const drUuid = await holdByBoth(domainType);
    await report(a, { action: 'DELETE', drKey: { id: 1 } });
    if (domainType === 'FEDERATED') await unlinkB(drUuid);
    expect(await records()).toEqual([]);
    expect((await removed()).map(({ adaptorUuid }) => adaptorUuid)).toEqual([b.uuid]);
  });

  it('is not restored by reports from before the DELETE', async () => {
    await eventually(async () => {
      const channel = await database.prisma.adaptorChannel.findFirst({ where: { adaptorUuid: b.uuid } });
      expect(channel?.downSent).toBe(2n);
    });
    await put(b, { id: 1, name: 'Ada' });
    expect(await records()).toEqual([]);
    expect(a.applied).toEqual([]);
    b.become('apply');
    await b.connect();
    // it may have restored it on purpose: it gets the DELETE once more
    await eventually(() => expect(b.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE', 'DELETE']));
  });

  it('is restored everywhere by new values', async () => {
    await put(b, { ...ada, note: 'still here' });
    expect(await records()).toHaveLength(1);
    expect(await removed()).toEqual([]);
    b.become('apply');
    await b.connect();
    await eventually(() => {
      expect(b.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE', 'POST']);
      expect(a.applied.at(-1)?.event.jsonData).toContain('still here');
    });
  });

  describe('and named by uuid alone', () => {
    const events = () => database.prisma.dataEvent.findMany({ where: { domainVersionUuid }, orderBy: { uuid: 'asc' } });
    const removedUuid = async (): Promise<string> => (await removed())[0]?.recordUuid ?? '';

    it('is known to be deleted by its adaptor, too', async () => {
      const drUuid = await removedUuid();
      await report(b, { action: 'DELETE', drUuid });
      expect((await events()).at(-1)).toMatchObject({
        action: 'DELETE',
        recordUuid: drUuid,
        sourceAdaptorUuid: b.uuid,
        drKey: { id: 1 },
      });
      // B no longer has the former values: they are news
      await put(b, ada);
      expect(await records()).toHaveLength(1);
    });

    it('is named by the change that has brought it back before', async () => {
      const drUuid = await removedUuid();
      await put(a, { ...ada, note: 'back' });
      expect(await records()).toHaveLength(1);
      const back = (await events()).at(-1);
      await report(b, { action: 'DELETE', drUuid });
      const late = (await events()).at(-1);
      expect(late).toMatchObject({ action: 'DELETE', sourceAdaptorUuid: b.uuid, recordUuid: back?.recordUuid });
      const winner = await database.prisma.dataEvent.findUnique({ where: { uuid: back?.uuid ?? '' } });
      expect(winner?.overrides).toEqual([{ eventUuid: late?.uuid, properties: [] }]);
      expect(await records()).toHaveLength(1);
    });

    it('does not go with the deletion of the former record once its adaptor has the present one', async () => {
      const drUuid = await removedUuid();
      await put(a, { ...ada, note: 'back' });
      b.become('apply');
      await b.connect();
      await eventually(() => expect(b.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE', 'POST']));
      await eventually(async () => {
        const channel = await database.prisma.adaptorChannel.findFirst({ where: { adaptorUuid: b.uuid } });
        expect(channel?.downAcked).toBe(3n);
      });
      await report(b, { action: 'DELETE', drUuid });
      expect(await records()).toHaveLength(1);
    });

    it('is brought back under another key, and stays at its adaptor', async () => {
      const drUuid = await removedUuid();
      await report(b, { action: 'PUT', drUuid, json: { ...ada, id: 2 } });
      expect((await records()).map(({ drKey }) => drKey)).toEqual([{ id: 2 }]);
      expect(await removed()).toEqual([]);
      b.become('apply');
      await b.connect();
      await eventually(() => expect(b.applied.map(({ event }) => event.action)).toEqual(['POST', 'DELETE', 'POST']));
    });
  });

  it('is reported as deleted by an adaptor that has seen the DELETE, and nothing is left', async () => {
    b.become('apply');
    await b.connect();
    await eventually(() => expect(b.applied).toHaveLength(2));
    await eventually(async () => {
      const channel = await database.prisma.adaptorChannel.findFirst({ where: { adaptorUuid: b.uuid } });
      expect(channel?.downAcked).toBe(2n);
    });
    await report(b, { action: 'DELETE', drKey: { id: 1 } });
    expect(await removed()).toEqual([]);
  });
});

it('a deletion by a person is not undone by an echo', async () => {
  const drUuid = await holdByBoth('SERVICE_DATA_STORE');
  const { errors } = await graphql({
    schema: server.subgraph.schema,
    source: 'mutation ($drUuid: Uuid!) { deleteDataRecord(drUuid: $drUuid) { transactionUuid } }',
    variableValues: { drUuid },
    contextValue: { principal: somebody, requestId: 'test' },
  });
  expect(errors).toBeUndefined();
  expect(await records()).toEqual([]);
  await put(b, ada);
  expect(await records()).toEqual([]);
});

it('nothing is kept for longer than something may arrive', async () => {
  await holdByBoth('SERVICE_DATA_STORE');
  await report(a, { action: 'DELETE', drKey: { id: 1 } });
  const goThrough = async (aheadMs: number): Promise<void> => {
    await database.pool.query(`UPDATE retention_progress SET rests_until = 'epoch'`);
    const moment = new Date(Date.now() + aheadMs);
    const periods = { eventDays: 0, issueDays: 0 };
    const retention = createRetention({ database, log: createLog('silent'), now: () => moment, periods });
    retention.check();
    await eventually(async () => {
      const turn = await database.prisma.retentionProgress.findUnique({ where: { subject: 'REMOVED_LINKS' } });
      expect(turn?.restsUntil.getTime()).toBe(moment.getTime() + hourMs);
    });
    await retention.close();
  };
  const acknowledge = (upto: number) =>
    database.prisma.adaptorChannel.update({
      where: { adaptorUuid: b.uuid },
      data: { downSequence: upto, downAcked: upto },
    });
  await goThrough(2 * hourMs);
  expect(await removed()).toHaveLength(1);
  await acknowledge(2 + reportWindow - 1);
  await goThrough(2 * hourMs);
  expect(await removed()).toHaveLength(1);
  await acknowledge(2 + reportWindow);
  await goThrough(hourMs / 2);
  expect(await removed()).toHaveLength(1);
  // an event that waits was made before the removal
  const [{ keyDigest } = { keyDigest: Buffer.alloc(0) }] = await removed();
  const { uuid } = await database.prisma.dataIssue.create({
    data: { uuid: randomUUID(), title: 'waits', adaptorUuid: b.uuid, domainVersionUuid, keyDigest, cause: 'FAULTY' },
  });
  await goThrough(2 * hourMs);
  expect(await removed()).toHaveLength(1);
  await database.prisma.dataIssue.update({ where: { uuid }, data: { status: 'CLOSED' } });
  await goThrough(2 * hourMs);
  expect(await removed()).toEqual([]);
});

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(database)).toEqual([]);
});
