import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';

let database: TestDatabase;
let server: StartedRecords;
let source: BusAdaptor;
let destination: BusAdaptor;
let oversized = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  await seed.addVersion({
    domainName: 'Note',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, text: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  server = await startRecords(database, {
    onOversized: () => {
      oversized += 1;
    },
  });
  const connect = async (name: string): Promise<BusAdaptor> => {
    const uuid = await seed.addAdaptor({ name, zoneUuid, domains: ['Note'] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain: 'Note', version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  [source, destination] = [await connect('source'), await connect('destination')];
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

describe('an event whose message is larger than the bus carries', () => {
  it('becomes an issue of the destination, and delays nothing behind it', async () => {
    // small enough to come, and too large to go: a message has its content as a JSON text
    source.send({ action: 'POST', json: { id: 1, text: '"'.repeat(100_000) } });
    source.send({ action: 'POST', json: { id: 2, text: 'small' } });
    await eventually(() => expect(destination.applied.map(({ event }) => event.drKey)).toEqual(['[2]']));
    expect(source.acknowledged).toBe(2);

    const [issue, ...others] = await database.prisma.dataIssue.findMany();
    expect(others).toEqual([]);
    const record = await database.prisma.dataRecord.findFirstOrThrow({ where: { drKey: { equals: { id: 1 } } } });
    expect(issue).toMatchObject({
      adaptorUuid: destination.uuid,
      recordUuid: record.uuid,
      exception: 'ADAPTOR',
      status: 'OPEN',
      title: 'The message is larger than the message bus carries',
    });
    expect(JSON.parse(issue?.errors ?? '')).toMatchObject([{ pointer: '/jsonData', code: 'TOO_LARGE' }]);
    expect(JSON.parse(issue?.dataEvent ?? '')).toMatchObject({ action: 'POST', drUuid: record.uuid, drKey: '[1]' });
    const { rows: logged } = await database.pool.query<{ action: string }>(
      'SELECT action FROM change_log WHERE resource_uuid = $1',
      [issue?.uuid],
    );
    expect(logged).toEqual([{ action: 'POST' }]);

    source.send({ action: 'PUT', json: { id: 1, text: 'shorter' } });
    await eventually(() => expect(destination.applied.map(({ event }) => event.drKey)).toEqual(['[2]', '[1]']));
    expect(destination.applied.at(-1)?.event).toMatchObject({ action: 'POST', jsonData: '{"id":1,"text":"shorter"}' });
  });
});

describe('a message larger than the bus allows, as an external broker may deliver it', () => {
  it('becomes an issue that keeps the start of it, is counted, and delays nothing behind it', async () => {
    source.send({ action: 'POST', json: { id: 11, text: '\u20ac'.repeat(1_000_000) } });
    source.send({ action: 'POST', json: { id: 12, text: 'small' } });
    await eventually(() => expect(destination.applied.at(-1)?.event.drKey).toBe('[12]'));
    expect(oversized).toBe(1);
    const issue = await database.prisma.dataIssue.findFirstOrThrow({ where: { adaptorUuid: source.uuid } });
    expect(JSON.parse(issue.errors ?? '')).toMatchObject([{ pointer: '', code: 'TOO_LARGE' }]);
    const kept = Buffer.byteLength(issue.dataEvent ?? '');
    expect(kept).toBeLessThanOrEqual(16 * 1024);
    expect(kept).toBeGreaterThan(15 * 1024);
    // the text ends after a whole character
    expect(issue.dataEvent).toMatch(/^\{"specversion":"1\.0",.*\u20ac$/);
  });
});
