import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createWebhookSender, everyTarget, webhookTypeName } from '@fds/webhook-client';
import { randomUUID } from 'node:crypto';
import { createBusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed, type CatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';
import type { WebhookPorts } from './webhook-ports.js';

const domain = 'Hooked';
const records = 5;
const changes = 30;

interface Arrival {
  readonly id: string;
  readonly record: number;
  readonly n: number;
}

let database: TestDatabase;
let seed: CatalogSeed;
let receiver: Server;
let url: string;
const arrivals: Arrival[] = [];
const senders: { close(): Promise<void> }[] = [];
/** Requests that were sent, by process. */
const sentBy: Record<string, number> = {};

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { jsonData } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { jsonData: string };
      const { id, n } = JSON.parse(jsonData) as { id: number; n: number };
      arrivals.push({ id: String(request.headers['webhook-id']), record: id, n });
      setTimeout(() => response.writeHead(204).end(), 10);
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  for (const sender of senders) await sender.close();
  receiver?.closeAllConnections();
  receiver?.close();
  await database?.drop();
});

/** The catalog's tables as its own subgraph would change them. */
const portsOf = (process: string): WebhookPorts => {
  const sender = createWebhookSender({ rule: everyTarget });
  senders.push(sender);
  return {
    sender: {
      send: (request) => {
        sentBy[process] = (sentBy[process] ?? 0) + 1;
        return sender.send(request);
      },
    },
    rule: everyTarget,
    catalog: {
      report: async (adaptorUuid, state) => {
        await seed.setState(adaptorUuid, state);
        return state;
      },
      loadMetadata: async () => ({ url }),
    },
  };
};

const start = (process: string): Promise<StartedRecords> =>
  startRecords(database, { webhooks: portsOf(process), leaseMs: 600 });

const countsOf = (record: number): number[] => {
  const first = new Map<string, Arrival>();
  for (const arrival of arrivals) if (!first.has(arrival.id)) first.set(arrival.id, arrival);
  return [...first.values()].filter((arrival) => arrival.record === record).map(({ n }) => n);
};

describe('two processes and a webhook adaptor', () => {
  it('one of them runs it, and the other continues when the first is cut off: nothing is lost, in order', async () => {
    await seed.addVersion({
      domainName: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, n: { type: 'integer' } },
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
    const first = await start('first');
    const owner = async (): Promise<number> => await database.prisma.relayLease.count({ where: { adaptorUuid: hook } });
    await eventually(async () => expect(await owner()).toBe(1));
    const second = await start('second');
    try {
      const source = createBusAdaptor(
        second.bus,
        await seed.addAdaptor({ name: `source ${randomUUID()}`, zoneUuid, domains: [domain] }),
        { domain, version: 1 },
      );
      await source.connect();
      for (let n = 1; n <= changes; n += 1) {
        for (let id = 1; id <= records; id += 1) source.send({ action: 'POST', json: { id, n } });
      }
      await eventually(() => expect(arrivals.length).toBeGreaterThan(records * 3));
      expect(sentBy['second'] ?? 0).toBe(0);
      await first.kill();
      const expected = Array.from({ length: changes }, (_, index) => index + 1);
      await eventually(() => {
        for (let id = 1; id <= records; id += 1) expect(countsOf(id)).toEqual(expected);
      });
      expect(sentBy['second']).toBeGreaterThan(0);
      await eventually(async () => {
        const channel = await database.prisma.adaptorChannel.findUnique({ where: { adaptorUuid: hook } });
        expect(channel?.downAcked).toBe(BigInt(records * changes));
      });
      const links = await database.prisma.recordLink.count({ where: { adaptorUuid: hook } });
      expect(links).toBe(records);
    } finally {
      await second.close();
    }
  });
});
