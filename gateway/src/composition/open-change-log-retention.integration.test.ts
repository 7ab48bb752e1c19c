import { logChanges } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openChangeLogRetention } from './open-change-log-retention.js';

const dayMs = 86_400_000;
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

it('removes entries after their retention time, except those that a reader needs', async () => {
  await database.prisma.changeLogEntry.deleteMany();
  for (const resource of ['/zones/1', '/zones/2', '/zones/3', '/zones/4'])
    await logChanges(database.pool, [{ action: 'POST', resourceType: 'Zone', resource }]);
  const positions = await database.prisma.changeLogEntry.findMany({ orderBy: { position: 'asc' } });
  let needed = positions[1]?.position;
  let nowMs = Date.now();
  const left = async (): Promise<string[]> => {
    const entries = await database.prisma.changeLogEntry.findMany({ orderBy: { position: 'asc' } });
    return entries.map(({ resource }) => resource);
  };
  let rounds = 0;
  const retention = openChangeLogRetention({
    database,
    log: createLog('silent'),
    now: () => new Date(nowMs),
    keptMs: dayMs,
    intervalMs: 10,
    loadFirstNeeded: async () => {
      rounds += 1;
      return needed;
    },
  });
  try {
    await eventually(() => expect(rounds).toBeGreaterThan(2));
    expect(await left()).toHaveLength(4);
    nowMs += 2 * dayMs;
    await eventually(async () => expect(await left()).toEqual(['/zones/2', '/zones/3', '/zones/4']));
    needed = undefined;
    await eventually(async () => expect(await left()).toEqual(['/zones/4']));
  } finally {
    await retention.close();
  }
});
