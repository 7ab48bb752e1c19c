import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createWebhookSender, everyTarget, webhookTypeName, type WebhookSender } from '@fds/webhook-client';
import { createBusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords } from '../../testing/start-records.js';
import type { WebhookPorts } from './webhook-ports.js';

const domain = 'Unwanted';
const hourMs = 3_600_000;

let database: TestDatabase;
let seed: CatalogSeed;
let receiver: Server;
let sender: WebhookSender;
let answer = 500;
let requests = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  sender = createWebhookSender({ rule: everyTarget });
  receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  await sender?.close();
  receiver?.closeAllConnections();
  receiver?.close();
  await database?.drop();
});

/** The ports of one process. `reports` are the states that it reports. */
const portsOf = (reports: string[]): WebhookPorts => ({
  sender,
  rule: everyTarget,
  schedule: [100, hourMs],
  catalog: {
    report: async (adaptorUuid, state, message = '') => {
      await seed.setState(adaptorUuid, state);
      reports.push(`${state} ${message}`);
      return state;
    },
    loadMetadata: async () => ({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` }),
  },
});

it('the attempts of a webhook adaptor continue in the next process, until a caller plays it', async () => {
  await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  });
  const zoneUuid = await seed.addZone('Zone');
  const hook = await seed.addAdaptor({
    name: 'hook',
    zoneUuid,
    domains: [domain],
    actions: ['POST', 'PUT', 'DELETE'],
    typeName: webhookTypeName,
  });
  const firstReports: string[] = [];
  const first = await startRecords(database, { webhooks: portsOf(firstReports), leaseMs: 600 });
  const source = createBusAdaptor(first.bus, await seed.addAdaptor({ name: 'source', zoneUuid, domains: [domain] }), {
    domain,
    version: 1,
  });
  await source.connect();
  source.send({ action: 'POST', json: { id: 1 } });
  await eventually(() => expect(firstReports.at(-1)).toContain('attempt 2 of 3'));
  await first.kill();
  expect(requests).toBe(2);

  const reports: string[] = [];
  const second = await startRecords(database, { webhooks: portsOf(reports), leaseMs: 600 });
  try {
    await eventually(() => expect(reports.at(-1)).toMatch(/^ERROR .*attempt 2 of 3/));
    expect(reports.filter((report) => report.startsWith('STARTED'))).toEqual([]);
    expect(requests).toBe(2);
    answer = 204;
    // the effect of PLAY
    await seed.setState(hook, 'STARTING');
    await eventually(() => expect(requests).toBe(3));
    await eventually(async () => expect(await database.prisma.webhookFailure.count()).toBe(0));
  } finally {
    await second.close();
  }
});
