import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { logChange } from './change-log.js';
import { inTransaction } from './in-transaction.js';
import { outsideJoinedWork } from './joined-work.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

const createZone = (name: string): Promise<unknown> =>
  inTransaction(database, async (tx) => {
    const zone = await tx.zone.create({ data: { uuid: crypto.randomUUID(), name } });
    await logChange(tx, { action: 'POST', resourceType: 'Zone', resource: `/zones/${zone.uuid}`, data: { name } });
    if (name === 'refused') throw new Error('refused');
    return zone;
  });

const zonesSeen = async (): Promise<readonly number[]> => {
  const text = 'SELECT count(*)::int AS count FROM zone';
  return [
    await database.prisma.zone.count(),
    (await database.pool.query<{ count: number }>(text)).rows[0]?.count ?? -1,
    (await database.reads.query<{ count: number }>(text)).rows[0]?.count ?? -1,
    await database.transaction(async (tx) => (await tx.query<{ count: number }>(text)).rows[0]?.count ?? -1),
    (await database.searches.sessionOf({ key: 'a' }).query<{ count: number }>(text)).rows[0]?.count ?? -1,
  ];
};

const logged = (): Promise<number> => database.prisma.changeLogEntry.count();

it('joins every session to one transaction, and undoes it as a whole', async () => {
  const [before] = await zonesSeen();
  const inside = await database.joined(async () => {
    await createZone('one');
    await expect(createZone('refused')).rejects.toThrow('refused');
    await createZone('two');
    return { value: await zonesSeen(), commits: false };
  });
  expect(inside).toEqual(Array.from({ length: 5 }, () => Number(before) + 2));
  expect(await zonesSeen()).toEqual(Array.from({ length: 5 }, () => before));
  expect(await logged()).toBe(0);
});

it('commits what is kept, with its changes', async () => {
  const [before] = await zonesSeen();
  await database.joined(async (joined) => {
    await createZone('kept');
    await joined.attempt(
      () => createZone('undone'),
      () => false,
    );
    await joined.attempt(
      () => createZone('attempted'),
      () => true,
    );
    // no other session waits for the work before it commits
    expect(await logged()).toBe(0);
    expect((await joined.outside(zonesSeen))[0]).toBe(before);
    return { value: undefined, commits: true };
  });
  expect((await database.prisma.zone.findMany({ orderBy: { dateCreated: 'asc' } })).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['kept', 'attempted']),
  );
  expect((await zonesSeen())[0]).toBe(Number(before) + 2);
  expect(await logged()).toBe(2);
});

it('runs effects after the commit, without those of undone work, and at once elsewhere', async () => {
  const done: string[] = [];
  const effect = (name: string): Promise<void> =>
    database.afterCommit(async () => {
      done.push(`${name} ${(await zonesSeen())[0]}`);
    });
  const [before] = await zonesSeen();
  await database.joined(async (joined) => {
    await createZone('with an effect');
    await effect('first');
    await joined.attempt(
      () => effect('undone'),
      () => false,
    );
    await database.afterCommit(() => Promise.reject(new Error('not reachable')));
    await effect('last');
    expect(done).toEqual([]);
    return { value: undefined, commits: true };
  });
  const seen = Number(before) + 1;
  expect(done).toEqual([`first ${seen}`, `last ${seen}`]);
  await database.joined(async () => {
    await effect('of a plan');
    return { value: undefined, commits: false };
  });
  await effect('alone');
  expect(done.slice(2)).toEqual([`alone ${seen}`]);
});

it('fills shared memory with committed rows only', async () => {
  const [before] = await zonesSeen();
  await database.joined(async () => {
    await createZone('not shared');
    expect((await outsideJoinedWork(zonesSeen))[0]).toBe(before);
    return { value: undefined, commits: false };
  });
});

it('does not reach the work of others', async () => {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const [before] = await zonesSeen();
  const joined = database.joined(async () => {
    await createZone('hidden');
    await finished;
    return { value: undefined, commits: false };
  });
  expect((await zonesSeen())[0]).toBe(before);
  finish();
  await joined;
});
