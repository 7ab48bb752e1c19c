import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { loadParkedEvents } from './parked-events.js';

let database: TestDatabase;
let queue: { readonly adaptorUuid: string; readonly domainVersionUuid: string; readonly keyDigest: string };

const eventBytes = 200_000;
const uuidOf = (number: number): string => `0199d0a0-0000-7000-8000-${String(number).padStart(12, '0')}`;

beforeAll(async () => {
  database = await openTestDatabase();
  const seed = createCatalogSeed(database);
  const zoneUuid = await seed.addZone('Zone');
  const { domainVersionUuid } = await seed.addVersion({
    domainName: 'Paged',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  });
  const adaptorUuid = await seed.addAdaptor({ name: 'source', zoneUuid, domains: ['Paged'] });
  const keyDigest = Buffer.alloc(32, 7);
  queue = { adaptorUuid, domainVersionUuid, keyDigest: keyDigest.toString('hex') };
  await database.prisma.dataIssue.createMany({
    data: Array.from({ length: 30 }, (_, number) => ({
      uuid: uuidOf(number),
      title: randomUUID(),
      cause: 'HELD',
      zoneUuid,
      adaptorUuid,
      domainVersionUuid,
      keyDigest,
      dataEvent: JSON.stringify({ text: 'x'.repeat(eventBytes - 11) }),
    })),
  });
});
afterAll(() => database?.drop());

describe('a page of events that may continue', () => {
  it.each([
    ['by its size', 1_000_000, 256, 5],
    ['by its number of events', 100_000_000, 7, 7],
    ['after one event that exceeds its size', 1, 256, 1],
    ['at the last event', 100_000_000, 31, 30],
  ])('ends %s, and the pages have every event once, in order', async (_, maxBytes, limit, firstPage) => {
    const pages: string[][] = [];
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      const page = await loadParkedEvents(
        database.pool,
        { kind: 'QUEUES', queues: [queue] },
        { after, limit, maxBytes },
      );
      const bytes = page.events.reduce((sum, { dataEvent }) => sum + Buffer.byteLength(dataEvent), 0);
      expect(bytes).toBeLessThan(maxBytes + eventBytes);
      pages.push(page.events.map(({ issueUuid }) => issueUuid));
      after = page.events.at(-1)?.issueUuid;
      ({ isLast } = page);
    }
    expect(pages[0]).toHaveLength(firstPage);
    expect(pages.flat()).toEqual(Array.from({ length: 30 }, (_event, number) => uuidOf(number)));
  });
});
