import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { createAdaptorErrorTaker } from '../issues/settlement/create-adaptor-error-taker.js';
import { createBusAdaptor, type BusAdaptor } from '../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../testing/start-records.js';
import { createRetention, type RetentionPace, type RetentionPeriods } from './create-retention.js';
import { reportWindow } from '../store/channels/delivery.js';

const dayMs = 86_400_000;
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

let domain: string;
let domainVersionUuid: string;
let source: BusAdaptor;
beforeEach(async () => {
  // the server works on the same tables: PostgreSQL may end either of two that wait for each other
  await eventually(() => database.pool.query('TRUNCATE data_event, delivery, data_issue CASCADE'));
  await database.pool.query(`UPDATE retention_progress SET after = NULL, rests_until = 'epoch'`);
  counter += 1;
  domain = `Kept${counter}`;
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  }));
  source = await addAdaptor();
});
const addAdaptor = async (): Promise<BusAdaptor> => {
  counter += 1;
  const uuid = await seed.addAdaptor({ name: `adaptor ${counter}`, zoneUuid, domains: [domain] });
  const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
  await adaptor.connect();
  return adaptor;
};

/** Sends one event for each name, for record 1 by default, and waits until they are committed. */
const send = async (names: readonly string[], id = 1): Promise<void> => {
  const before = source.acknowledged;
  for (const name of names) source.send({ action: 'POST', json: { id, name } });
  await eventually(() => expect(source.acknowledged).toBe(before + names.length));
};
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `name ${index}`);

const eventUuids = async (): Promise<string[]> =>
  (await database.prisma.dataEvent.findMany({ orderBy: { uuid: 'asc' } })).map(({ uuid }) => uuid);
const openIssues = async (): Promise<number> => database.prisma.dataIssue.count({ where: { status: 'OPEN' } });
const closeIssues = (at = new Date()) =>
  database.prisma.dataIssue.updateMany({ data: { status: 'CLOSED', lastUpdated: at } });
const recordUuid = async (): Promise<string> =>
  (await database.prisma.dataEvent.findFirstOrThrow({ select: { recordUuid: true } })).recordUuid ?? '';

const restsUntil = async (subject: string): Promise<number> => {
  const row = await database.prisma.retentionProgress.findUniqueOrThrow({ where: { subject } });
  return row.restsUntil.getTime();
};

/** Goes through everything once, so many days from now. */
const goThrough = async (
  daysAhead: number,
  periods: RetentionPeriods = { eventDays: 30, issueDays: 0 },
  pace: Partial<RetentionPace> = {},
): Promise<void> => {
  await database.pool.query(`UPDATE retention_progress SET rests_until = 'epoch'`);
  const moment = new Date(Date.now() + daysAhead * dayMs);
  const retention = createRetention({
    database,
    log: createLog('silent'),
    now: () => moment,
    periods,
    pace: { rows: 500, pauseMs: 1, restMs: dayMs, checkMs: 1, ...pace },
  });
  retention.check();
  const subject = periods.eventDays > 0 ? 'DATA_EVENTS' : 'CLOSED_ISSUES';
  await eventually(async () => expect(await restsUntil(subject)).toBe(moment.getTime() + dayMs));
  await retention.close();
};

describe('data events', () => {
  it('stay until they are old enough, then go, while their record stays', async () => {
    await send(['one', 'two', 'three']);
    await goThrough(29);
    expect(await eventUuids()).toHaveLength(3);
    await goThrough(31);
    expect(await eventUuids()).toHaveLength(0);
    expect(await database.prisma.dataRecord.count({ where: { domainVersionUuid } })).toBe(1);
  });

  it('go in portions, the newer ones stay', async () => {
    await send(['one', 'two', 'three', 'four', 'five']);
    const [, , , fourth, fifth] = await eventUuids();
    const aged = newUuid({ msecs: Date.now() - 40 * dayMs });
    await database.pool.query(
      `UPDATE data_event SET uuid = overlay(uuid::text PLACING $1 FROM 1 FOR 13)::uuid WHERE uuid < $2`,
      [aged.slice(0, 13), fourth],
    );
    await goThrough(0, { eventDays: 30, issueDays: 0 }, { rows: 2 });
    expect(await eventUuids()).toEqual([fourth, fifth]);
  });

  it('are removed with their deliveries, except those that an error of the destination may name', async () => {
    const destination = await addAdaptor();
    const sent = reportWindow + 44;
    // one window of events at a time
    await send(numbered(reportWindow));
    await send(numbered(sent - reportWindow));
    await eventually(async () => {
      const channel = await database.prisma.adaptorChannel.findFirst({ where: { adaptorUuid: destination.uuid } });
      expect(channel?.downAcked).toBe(BigInt(sent));
      expect(destination.applied).toHaveLength(sent);
    });
    const before = await eventUuids();
    await goThrough(31, undefined, { rows: 50 });
    expect(await eventUuids()).toEqual(before.slice(-reportWindow));
    const deliveries = await database.prisma.delivery.findMany({ orderBy: { sequence: 'asc' } });
    expect(deliveries.map(({ eventUuid }) => eventUuid)).toEqual(before.slice(-reportWindow));
  });

  it('stay while a destination has not acknowledged them', async () => {
    const destination = await addAdaptor();
    destination.disconnect();
    await send(numbered(300));
    await goThrough(31);
    expect(await eventUuids()).toHaveLength(300);
    expect(await database.prisma.delivery.count({ where: { message: { not: null } } })).toBe(300);
  });

  it('for a record with an open issue stay until it is closed', async () => {
    await send(['one', 'two']);
    const error = { level: 'ERROR', kind: 'DATA', message: 'no such column', drUuid: await recordUuid() } as const;
    await createAdaptorErrorTaker({ database })(source.uuid, error, { id: newUuid(), time: new Date() });
    await send(['other'], 2);
    expect(await openIssues()).toBe(1);
    await goThrough(31);
    expect((await database.prisma.dataEvent.findMany()).map(({ drKey }) => drKey)).toEqual([{ id: 1 }, { id: 1 }]);
    await closeIssues();
    await goThrough(31);
    expect(await eventUuids()).toHaveLength(0);
  });

  it('by which a parked event is recognised as stale stay: the last of the source', async () => {
    source.send({ action: 'POST', json: { name: 'no key' } });
    await eventually(async () => expect(await openIssues()).toBe(1));
    await send(['one', 'two']);
    const [, last] = await eventUuids();
    await goThrough(31);
    expect(await eventUuids()).toEqual([last]);
    await closeIssues();
    await goThrough(31);
    expect(await eventUuids()).toHaveLength(0);
  });

  it('that another transaction has locked stay for the next time, without a wait', async () => {
    await send(['one', 'two']);
    const [first] = await eventUuids();
    await database.transaction(async (client) => {
      await client.query('SELECT FROM data_event WHERE uuid = $1 FOR UPDATE', [first]);
      await goThrough(31);
    });
    expect(await eventUuids()).toEqual([first]);
    await goThrough(31);
    expect(await eventUuids()).toHaveLength(0);
  });
});

describe('closed issues', () => {
  const periods = { eventDays: 0, issueDays: 10 };

  it('are removed some time after their last change, open ones stay; the change log shows it', async () => {
    source.send({ action: 'POST', json: { name: 'first' } });
    source.send({ action: 'POST', json: { name: 'second' } });
    await eventually(async () => expect(await openIssues()).toBe(2));
    const [closed, open] = await database.prisma.dataIssue.findMany({ orderBy: { uuid: 'asc' } });
    await database.prisma.dataIssue.update({
      where: { uuid: closed?.uuid ?? '' },
      data: { status: 'CLOSED', lastUpdated: new Date(Date.now() + 5 * dayMs) },
    });
    const left = async () => (await database.prisma.dataIssue.findMany()).map(({ uuid }) => uuid).sort();
    await goThrough(14, periods);
    expect(await left()).toEqual([closed?.uuid, open?.uuid]);
    await goThrough(16, periods, { rows: 1 });
    expect(await left()).toEqual([open?.uuid]);
    const entries = await database.prisma.changeLogEntry.findMany({ where: { resourceUuid: closed?.uuid ?? '' } });
    expect(entries.map(({ action }) => action)).toEqual(['POST', 'DELETE']);
    expect(entries.at(-1)).toMatchObject({ actorUuid: null, zoneUuid });
  });
});

describe('retention', () => {
  it('is left to the process that works on it, and continues when that process has gone', async () => {
    await send(['one', 'two']);
    const moment = new Date(Date.now() + 31 * dayMs);
    let rounds = 0;
    const retention = createRetention({
      database,
      log: createLog('silent'),
      now: () => {
        rounds += 1;
        return moment;
      },
      periods: { eventDays: 30, issueDays: 0 },
      pace: { rows: 500, pauseMs: 1, restMs: dayMs, checkMs: 1 },
    });
    await database.transaction(async (client) => {
      await client.query(`SELECT FROM retention_progress WHERE subject = 'DATA_EVENTS' FOR UPDATE`);
      retention.check();
      await eventually(() => expect(rounds).toBeGreaterThan(3));
      expect(await eventUuids()).toHaveLength(2);
    });
    await eventually(async () => expect(await eventUuids()).toHaveLength(0));
    await retention.close();
  });

  it('keeps everything unless it is told otherwise', async () => {
    await send(['one']);
    const retention = createRetention({
      database,
      log: createLog('silent'),
      now: () => new Date(Date.now() + 4_000 * dayMs),
      periods: { eventDays: 0, issueDays: 0 },
    });
    retention.check();
    await retention.close();
    expect(await eventUuids()).toHaveLength(1);
    expect(await restsUntil('DATA_EVENTS')).toBe(0);
  });
});
