import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { logChanges } from './change-log.js';
import { loadLogEnds } from './change-log-window.js';
import { pruneChangeLog } from './prune-change-log.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

/** Creates ten entries, one on each of the first ten days. @returns their positions */
const logTenDays = async (): Promise<bigint[]> => {
  await logChanges(
    database.pool,
    Array.from({ length: 10 }, () => ({ action: 'POST' as const, resourceType: 'Zone', resource: '/zones/one' })),
  );
  const { rows } = await database.pool.query<{ position: bigint }>('SELECT position FROM change_log ORDER BY position');
  const positions = rows.map(({ position }) => position);
  for (const [index, position] of positions.entries()) {
    await database.prisma.changeLogEntry.update({ where: { position }, data: { dateCreated: day(index + 1) } });
  }
  return positions;
};

beforeEach(() => database.prisma.changeLogEntry.deleteMany());

it('removes entries before a time in batches, and records the last removed position', async () => {
  const positions = await logTenDays();
  expect(await pruneChangeLog(database, { before: day(8), needed: undefined, batch: 3 })).toBe(7);
  expect(await loadLogEnds(database.pool)).toEqual({ removedUpTo: positions[6], last: positions[9] });
  expect(await database.prisma.changeLogEntry.count()).toBe(3);
  expect(await pruneChangeLog(database, { before: day(8), needed: undefined })).toBe(0);
  expect(await loadLogEnds(database.pool)).toEqual({ removedUpTo: positions[6], last: positions[9] });
});

it('keeps entries that a reader needs, entries after a younger one, and the last entry', async () => {
  const positions = await logTenDays();
  expect(await pruneChangeLog(database, { before: day(30), needed: positions[2] })).toBe(2);
  await database.prisma.changeLogEntry.update({
    where: { position: positions[5] as bigint },
    data: { dateCreated: day(40) },
  });
  expect(await pruneChangeLog(database, { before: day(30), needed: undefined })).toBe(3);
  expect(await pruneChangeLog(database, { before: day(50), needed: undefined })).toBe(4);
  expect(await loadLogEnds(database.pool)).toEqual({ removedUpTo: positions[8], last: positions[9] });
});

it('removes each entry once when two processes remove entries at the same time', async () => {
  const positions = await logTenDays();
  const old = { before: day(30), needed: undefined, batch: 2 };
  const counts = await Promise.all([pruneChangeLog(database, old), pruneChangeLog(database, old)]);
  // a process may stop early if the other one was faster; together they remove no entry twice
  const left = await database.prisma.changeLogEntry.count();
  expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(positions.length - left);
  await pruneChangeLog(database, old);
  expect(await database.prisma.changeLogEntry.count()).toBe(1);
});
