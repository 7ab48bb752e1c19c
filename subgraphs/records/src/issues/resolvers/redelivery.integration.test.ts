import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import type { Principal } from '@fds/auth';
import type { AdaptorError } from '@fds/adaptor-protocol';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson, type JsonObject } from '@fds/json';
import { compileGrants } from '@fds/access-rules';
import { eventually } from '@fds/testing';
import { createAdaptorErrorTaker } from '../settlement/create-adaptor-error-taker.js';
import { reportWindow } from '../../store/channels/delivery.js';
import { loadDestinations } from '../../store/events/list-data-events.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

const domain = 'Redelivered';
const steward: Principal = {
  kind: 'PERSON',
  uuid: randomUUID(),
  username: 'steward',
  zones: [],
  defaultZoneUuid: undefined,
  permits: compileGrants([{ action: 'ALL', resource: '/*' }]).permits,
};

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let zoneUuid: string;
let source: BusAdaptor;
let destination: BusAdaptor;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  const properties = { id: { type: 'integer' }, name: { type: 'string' }, phone: { type: 'string' } };
  await seed.addVersion({ domainName: domain, domainType: 'FEDERATED', properties, drKeyProperties: ['id'] });
  server = await startRecords(database);
  const addAdaptor = async (name: string, inZone: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name, zoneUuid: inZone, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  source = await addAdaptor('source', await seed.addZone('Other zone'));
  destination = await addAdaptor('destination', zoneUuid);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const ofRecord = (id: number) => destination.applied.filter(({ event }) => event.drKey === `[${id}]`);

/** Sends a record, and waits until the destination has acknowledged so many messages of it. */
const deliver = async (id: number, name: string, count = 1) => {
  source.send({ action: 'PUT', json: { id, name, phone: '1' } });
  await eventually(() => expect(ofRecord(id)).toHaveLength(count));
  const message = ofRecord(id).at(-1);
  if (message === undefined) throw new TypeError('nothing was delivered');
  await eventually(async () => {
    const channel = await database.prisma.adaptorChannel.findUnique({ where: { adaptorUuid: destination.uuid } });
    expect(Number(channel?.downAcked)).toBeGreaterThanOrEqual(message.sequence);
  });
  return message;
};

/** The issue that an error of the destination makes. */
const issueOf = async (error: Partial<AdaptorError>): Promise<string> => {
  const take = createAdaptorErrorTaker({ database });
  const before = new Set((await database.prisma.dataIssue.findMany()).map(({ uuid }) => uuid));
  const message = { id: randomUUID(), time: new Date() };
  await take(destination.uuid, { level: 'ERROR', kind: 'DATA', message: 'no such column', ...error }, message);
  const added = (await database.prisma.dataIssue.findMany()).filter(({ uuid }) => !before.has(uuid));
  expect(added).toHaveLength(1);
  return added[0]?.uuid ?? '';
};

const retry = async (issueUuid: string) => {
  const source = `mutation ($zoneUuid: Uuid!, $issueUuid: Uuid!, $input: DataIssueInput!) {
    patchDataIssue(zoneUuid: $zoneUuid, issueUuid: $issueUuid, input: $input) { status changeVersion }
  }`;
  const input = { status: 'CLOSED', retry: true, changeVersion: 1 };
  const contextValue = { principal: steward, requestId: 'test' };
  const variableValues = { zoneUuid, issueUuid, input };
  const answer = await graphql({ schema: server.subgraph.schema, source, variableValues, contextValue });
  return {
    ...answer.data,
    errors: (answer.errors ?? []).map(({ extensions, message }) => ({ ...extensions, message })),
  };
};

const statusOf = async (issueUuid: string): Promise<string | undefined> =>
  (await database.prisma.dataIssue.findUnique({ where: { uuid: issueUuid } }))?.status;

/** The state of an event at the destination. */
const standing = async (transactionUuid: string): Promise<string[]> => {
  const event = await database.prisma.dataEvent.findFirst({ where: { transactionUuid } });
  const destinations = await loadDestinations(database.pool, [event?.uuid ?? ''], false);
  return (destinations.get(event?.uuid ?? '') ?? []).map(({ status }) => status);
};

describe('the values of a message that a destination could not handle', () => {
  const lastOf = (id: number) => {
    const { event } = ofRecord(id).at(-1) ?? {};
    return { changed: event?.changed, data: parseJson(event?.jsonData ?? '{}') };
  };
  const put = async (id: number, json: JsonObject, count: number): Promise<number> => {
    source.send({ action: 'PUT', json: { id, ...json } });
    await eventually(() => expect(ofRecord(id)).toHaveLength(count));
    return ofRecord(id).at(-1)?.sequence ?? 0;
  };
  const link = async (id: number): Promise<void> => {
    const drUuid = ofRecord(id)[0]?.event.drUuid ?? '';
    destination.link({ action: 'LINK', domain, version: 1, drUuid, drKey: { id } });
    await eventually(async () =>
      expect(
        await database.prisma.recordLink.count({ where: { recordUuid: drUuid, adaptorUuid: destination.uuid } }),
      ).toBe(1),
    );
  };

  it('are new in the next message, and the first one is then superseded', async () => {
    await put(101, { name: 'Ada', phone: '1' }, 1);
    await link(101);
    const failed = await put(101, { name: 'Eve', phone: '1' }, 2);
    expect(lastOf(101).changed).toEqual(['name']);
    const issueUuid = await issueOf({ sequence: failed });
    await put(101, { name: 'Eve', phone: '2' }, 3);
    expect(lastOf(101)).toEqual({ changed: ['name', 'phone'], data: { id: 101, name: 'Eve', phone: '2' } });
    // the later message was applied with the name: the issue closes itself
    await eventually(async () => expect(await statusOf(issueUuid)).toBe('CLOSED'));
    await put(101, { name: 'Eve', phone: '3' }, 4);
    expect(lastOf(101).changed).toEqual(['phone']);
  });

  it('are sent again alone where later messages changed other properties', async () => {
    await put(102, { name: 'Ada', phone: '1' }, 1);
    await link(102);
    const failed = await put(102, { name: 'Eve', phone: '2' }, 2);
    await put(102, { phone: '3' }, 3);
    const issueUuid = await issueOf({ sequence: failed });
    expect((await retry(issueUuid)).errors).toEqual([]);
    await eventually(() => expect(ofRecord(102)).toHaveLength(4));
    expect(lastOf(102)).toEqual({ changed: ['name'], data: { id: 102, name: 'Eve' } });
  });

  it('are all new in the retry of the last one of several failed messages', async () => {
    await put(103, { name: 'Ada', phone: '1' }, 1);
    await link(103);
    const first = await put(103, { name: 'Eve', phone: '1' }, 2);
    const second = await put(103, { name: 'Eve', phone: '2' }, 3);
    expect(lastOf(103).changed).toEqual(['phone']);
    const issues = [await issueOf({ sequence: second }), await issueOf({ sequence: first })];
    expect((await retry(issues[0] ?? '')).errors).toEqual([]);
    await eventually(() => expect(ofRecord(103)).toHaveLength(4));
    expect(lastOf(103)).toEqual({ changed: ['name', 'phone'], data: { id: 103, name: 'Eve', phone: '2' } });
    // no value of the first one is left
    await eventually(async () => expect(await statusOf(issues[1] ?? '')).toBe('CLOSED'));
  });

  it('are not undone by a report of the destination that repeats its former values', async () => {
    await put(104, { name: 'Ada', phone: '1' }, 1);
    destination.send({ action: 'PUT', json: { id: 104, name: 'Ada', phone: '1' } });
    const failed = await put(104, { name: 'Eve', phone: '1' }, 2);
    const issueUuid = await issueOf({ sequence: failed });
    const before = source.applied.length;
    destination.send({ action: 'PUT', json: { id: 104, name: 'Ada', phone: '5' } });
    await eventually(() => expect(source.applied.length).toBeGreaterThan(before));
    const { event } = source.applied.at(-1) ?? {};
    expect(event?.changed).toEqual(['phone']);
    expect(parseJson(event?.jsonData ?? '')).toEqual({ id: 104, phone: '5' });
    expect((await retry(issueUuid)).errors).toEqual([]);
    await eventually(() => expect(ofRecord(104)).toHaveLength(3));
    expect(lastOf(104).changed).toEqual(['name']);
    // the phone is newer than that of the message
    expect(lastOf(104).data).toEqual({ id: 104, name: 'Eve' });
  });
});

describe('a message that a destination could not handle', () => {
  it('is sent to it again, at the end of its outbox', async () => {
    const { sequence, event } = await deliver(1, 'Ada');
    const issueUuid = await issueOf({ sequence });
    expect(await standing(event.transactionUuid)).toEqual(['FAILED']);
    expect(await retry(issueUuid)).toEqual({ patchDataIssue: { status: 'CLOSED', changeVersion: 2 }, errors: [] });
    await eventually(() => expect(ofRecord(1)).toHaveLength(2));
    const again = ofRecord(1)[1];
    expect(again?.sequence).toBeGreaterThan(sequence);
    expect(again?.event).toEqual(event);
    await eventually(async () => expect(await standing(event.transactionUuid)).toEqual(['APPLIED']));
  });

  it('is sent once, however many errors there are of it', async () => {
    const { sequence } = await deliver(2, 'Ada');
    const [first, second] = [await issueOf({ sequence }), await issueOf({ sequence })];
    const answers = await Promise.all([retry(first), retry(second)]);
    expect(answers.map(({ errors }) => errors).flat()).toMatchObject([{ code: 'CONFLICT' }]);
    await deliver(3, 'after it');
    expect(ofRecord(2)).toHaveLength(2);
    // the message was applied in the end: the other issue closes itself
    await eventually(async () => expect([await statusOf(first), await statusOf(second)]).toEqual(['CLOSED', 'CLOSED']));
  });

  it('is not sent again where something newer of the record follows', async () => {
    const { sequence } = await deliver(4, 'Ada');
    await deliver(4, 'Ada L.', 2);
    // of a property that the newer message does not have: the issue does not close itself
    const issueUuid = await issueOf({ sequence, properties: ['phone'] });
    const { errors } = await retry(issueUuid);
    expect(errors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('something newer') }]);
    expect(await statusOf(issueUuid)).toBe('OPEN');
  });

  it('is not sent again if its content is unknown, or it was handled', async () => {
    const { sequence, event } = await deliver(5, 'Ada');
    const unclear = await issueOf({ drUuid: event.drUuid });
    expect((await retry(unclear)).errors).toMatchObject([{ errors: [{ pointer: '/retry', code: 'NOT_ALLOWED' }] }]);
    await database.pool.query('UPDATE delivery SET message = NULL WHERE adaptor_uuid = $1 AND sequence = $2', [
      destination.uuid,
      sequence,
    ]);
    const late = await issueOf({ sequence });
    expect((await retry(late)).errors).toMatchObject([{ errors: [{ pointer: '/retry' }] }]);
  });

  it('is sent again next to many others, more than the database has connections', async () => {
    const ids = Array.from({ length: 24 }, (_, index) => 300 + index);
    const issues: string[] = [];
    for (const id of ids) issues.push(await issueOf({ sequence: (await deliver(id, 'Ada')).sequence }));
    const answers = await Promise.all(issues.map(retry));
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    await eventually(() => expect(ids.map((id) => ofRecord(id).length)).toEqual(ids.map(() => 2)));
  }, 60_000);

  it('is kept with its issue, also when much else has been acknowledged since', async () => {
    const { sequence } = await deliver(6, 'Ada');
    const issueUuid = await issueOf({ sequence });
    // a source keeps to its window: the server may refuse events beyond it
    const half = Math.ceil((reportWindow + 10) / 2);
    for (const first of [10_001, 20_001]) {
      const last = first + half - 1;
      for (let id = first; id <= last; id += 1) source.send({ action: 'POST', json: { id, name: 'x' } });
      await eventually(() => expect(ofRecord(last)).toHaveLength(1));
    }
    const { rows } = await eventually(async () => {
      const found = await database.pool.query<{ status: string; message: string | null }>(
        'SELECT status, message FROM delivery WHERE adaptor_uuid = $1 AND sequence = $2',
        [destination.uuid, sequence],
      );
      expect(found.rows[0]?.message).toBeNull();
      return found;
    });
    expect(rows[0]?.status).toBe('FAILED');
    expect((await retry(issueUuid)).errors).toEqual([]);
    await eventually(() => expect(ofRecord(6)).toHaveLength(2));
  });

  // the last one: the entry stays
  it('holds no more than governance lets it have now', async () => {
    const { sequence } = await deliver(7, 'Ada');
    const issueUuid = await issueOf({ sequence });
    await seed.denyInbound(zoneUuid, ['phone']);
    // known here once what follows comes without it
    let probe = 2000;
    await eventually(async () => {
      source.send({ action: 'POST', json: { id: (probe += 1), name: 'probe', phone: '1' } });
      await eventually(() => expect(ofRecord(probe)).toHaveLength(1));
      expect(parseJson(ofRecord(probe)[0]?.event.jsonData ?? '')).not.toHaveProperty('phone');
    });
    expect((await retry(issueUuid)).errors).toEqual([]);
    await eventually(() => expect(ofRecord(7)).toHaveLength(2));
    expect(parseJson(ofRecord(7)[1]?.event.jsonData ?? '')).toEqual({ id: 7, name: 'Ada' });
  });
});
